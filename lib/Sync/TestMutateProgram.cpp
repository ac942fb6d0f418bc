// Breaks a program on purpose, to see that a verifier or the interpreter finds
// it.
#include "dialects/gsync/Gsync.h"
#include "rubato/Sync/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace rubato {
#define GEN_PASS_DEF_GSYNCTESTMUTATE
#include "rubato/Sync/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

namespace {

/// A place where a mutation applies, and what it does there.
struct Mutation {
  StringRef kind;
  /// Whether an operation is such a place.
  bool (*applies)(Operation *);
  void (*apply)(Operation *);
};

//===----------------------------------------------------------------------===//
// Building blocks
//===----------------------------------------------------------------------===//

bool inRound(Operation *op) { return op->getParentOfType<StrandOp>(); }

/// A value of the type that means nothing.
Value nothing(ImplicitLocOpBuilder &b, Type type) {
  if (auto future = dyn_cast<FutureType>(type))
    return ReadyOp::create(b, future);
  if (isa<RankedTensorType>(type))
    return ZeroOp::create(b, type);
  return arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(type)));
}

bool hasNothing(Type type) {
  return isa<RankedTensorType>(type) || type.isIntOrFloat() ||
         isa<FutureType>(type);
}

/// Removes an operation; what it gave is nothing now.
void drop(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  for (Value result : op->getResults())
    if (!result.use_empty())
      result.replaceAllUsesWith(nothing(b, result.getType()));
  op->erase();
}

bool droppable(Operation *op) {
  return llvm::all_of(op->getResults(), [](Value result) {
    return result.use_empty() || hasNothing(result.getType());
  });
}

/// A condition that members answer differently: whether this one was asked to
/// stop.
Value localCondition(ImplicitLocOpBuilder &b) {
  auto type = RankedTensorType::get({}, b.getI64Type());
  Value stop = tensor::ExtractOp::create(b, StopRequestedOp::create(b, type),
                                         ValueRange{});
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, stop,
                               arith::ConstantIntOp::create(b, 0, 64));
}

Value rankIsZero(ImplicitLocOpBuilder &b, Operation *op) {
  auto role = op->getParentOfType<RoleOp>();
  auto view =
      ViewOp::create(b, b.getI64Type(), b.getI64Type(), role.getGroup());
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, view.getRank(),
                               arith::ConstantIntOp::create(b, 0, 64));
}

/// Moves an operation under a condition; the other side gives nothing.
void putUnder(Operation *op, Value condition) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto branch = scf::IfOp::create(b, op->getResultTypes(), condition,
                                  /*withElseRegion=*/true);
  op->replaceAllUsesWith(branch.getResults());
  b.setInsertionPointToStart(branch.elseBlock());
  SmallVector<Value> none;
  for (Type type : branch.getResultTypes())
    none.push_back(nothing(b, type));
  if (!none.empty() || branch.elseBlock()->empty())
    scf::YieldOp::create(b, none);
  op->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, op->getResults());
}

//===----------------------------------------------------------------------===//
// Mutations
//===----------------------------------------------------------------------===//

template <typename Op> bool is(Operation *op) {
  return isa<Op>(op) && droppable(op);
}
template <typename Op> bool any(Operation *op) { return isa<Op>(op); }
template <typename Op> bool isInRound(Operation *op) {
  return isa<Op>(op) && inRound(op) && droppable(op);
}
bool isCollectiveInRound(Operation *op) {
  return isCollective(op) && inRound(op);
}

void awaitTwice(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  AwaitOp::create(b, cast<AwaitOp>(op).getFuture());
}

void startTwice(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  b.clone(*op);
}

void underStop(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  putUnder(op, localCondition(b));
}

void underRank(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  putUnder(op, rankIsZero(b, op));
}

void underPoll(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto future = FutureType::get(op->getContext(), b.getI64Type());
  Value polled = ReadyOp::create(b, future);
  putUnder(op, DoneOp::create(b, b.getI1Type(), polled));
  Block &round = op->getParentOfType<StrandOp>().getBody().front();
  b.setInsertionPoint(round.getTerminator());
  AwaitOp::create(b, polled);
}

void inRepeat(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Value two = arith::ConstantIntOp::create(b, 2, 64);
  auto repeat = RepeatOp::create(b, Value(), two, two, ValueRange());
  b.createBlock(&repeat.getBody(), {}, {b.getI64Type()}, {op->getLoc()});
  Operation *copy = b.clone(*op);
  AwaitOp::create(b, copy->getResult(0));
  YieldOp::create(b);
}

/// Another order of two collectives on one rank.
void swapOnRank(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Value zero = rankIsZero(b, op);
  auto branch = scf::IfOp::create(b, zero, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  Operation *copy = b.clone(*op);
  AwaitOp::create(b, copy->getResult(0));
  // The others start theirs after the original.
  b.setInsertionPointAfter(op);
  auto late = scf::IfOp::create(
      b, arith::XOrIOp::create(b, zero, arith::ConstantIntOp::create(b, 1, 1)),
      /*withElseRegion=*/false);
  b.setInsertionPointToStart(late.thenBlock());
  copy = b.clone(*op);
  AwaitOp::create(b, copy->getResult(0));
}

void localGo(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto next = cast<NextOp>(op);
  next.getGoMutable().assign(localCondition(b));
}

void neverStop(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  cast<NextOp>(op).getGoMutable().assign(arith::ConstantIntOp::create(b, 1, 1));
}

bool carriesFuture(Operation *op) {
  auto next = dyn_cast<NextOp>(op);
  return next && llvm::any_of(next.getCarried().getTypes(),
                              [](Type t) { return isa<FutureType>(t); });
}

void forgetCarried(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto next = cast<NextOp>(op);
  for (OpOperand &operand : next.getCarriedMutable())
    if (isa<FutureType>(operand.get().getType()))
      operand.set(nothing(b, operand.get().getType()));
}

/// Uses a value loaded long before instead of the one under the lock.
bool hasArgumentInUse(Operation *op) {
  auto atomic = dyn_cast<AtomicOp>(op);
  return atomic && inRound(op) &&
         llvm::any_of(atomic.getBody().getArguments(),
                      [](Value v) { return !v.use_empty(); });
}

void readOutside(Operation *op) {
  auto atomic = cast<AtomicOp>(op);
  Block &round = atomic->getParentOfType<StrandOp>().getBody().front();
  ImplicitLocOpBuilder b(op->getLoc(), &round, round.begin());
  for (auto [cell, argument] :
       llvm::zip(atomic.getCells().getAsRange<FlatSymbolRefAttr>(),
                 atomic.getBody().getArguments()))
    argument.replaceAllUsesWith(
        LoadOp::create(b, argument.getType(), cell.getValue()).getValue());
}

void writeSetting(Operation *op) {
  auto atomic = cast<AtomicOp>(op);
  ImplicitLocOpBuilder b(op->getLoc(), op);
  SmallVector<Attribute> cells(atomic.getCells().begin(),
                               atomic.getCells().end());
  auto module = op->getParentOfType<ModuleOp>();
  for (auto cell : module.getOps<CellOp>())
    if (cell.getRole() == CellRole::Setting) {
      cells.push_back(FlatSymbolRefAttr::get(cell.getSymNameAttr()));
      Value argument =
          atomic.getBody().addArgument(cell.getType(), op->getLoc());
      cast<YieldOp>(atomic.getBody().front().getTerminator())
          .getCellsMutable()
          .append(argument);
      break;
    }
  atomic.setCellsAttr(b.getArrayAttr(cells));
}

/// An atomic moves in front of the last operation that may fail.
Operation *fallibleBefore(Operation *op) {
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode())
    if (mayFail(before))
      return before;
  return nullptr;
}

bool followsFallible(Operation *op) {
  return isa<AtomicOp>(op) && inRound(op) && fallibleBefore(op);
}

void changeEarly(Operation *op) {
  // A counter that is set back before the round is certain.
  auto atomic = cast<AtomicOp>(op);
  ImplicitLocOpBuilder b(op->getLoc(), fallibleBefore(op));
  auto cell = cast<FlatSymbolRefAttr>(atomic.getCells().getValue().back());
  Type type = atomic.getBody().getArguments().back().getType();
  auto early = AtomicOp::create(b, b.getArrayAttr({cell}));
  b.createBlock(&early.getBody(), {}, {type}, {op->getLoc()});
  YieldOp::create(b, ValueRange(nothing(b, type)), ValueRange());
}

void writeInModel(Operation *op) {
  auto model = cast<ModelOp>(op);
  ImplicitLocOpBuilder b(op->getLoc(), &model.getBody().front(),
                         model.getBody().front().begin());
  auto cell = *op->getParentOfType<ModuleOp>().getOps<CellOp>().begin();
  auto atomic = AtomicOp::create(
      b, b.getArrayAttr({FlatSymbolRefAttr::get(cell.getSymNameAttr())}));
  Block *body =
      b.createBlock(&atomic.getBody(), {}, {cell.getType()}, {op->getLoc()});
  YieldOp::create(b, ValueRange(body->getArgument(0)), ValueRange());
}

/// A question about who does what; others are about numbers.
bool isAskedForDecision(Operation *op) {
  return isInRound<AskOp>(op) &&
         llvm::any_of(op->getResultTypes(),
                      [](Type type) { return type.isInteger(); });
}

void oldTicket(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  OpOperand &ticket = cast<PushOp>(op).getTicketMutable();
  ticket.set(arith::SubIOp::create(b, ticket.get(),
                                   arith::ConstantIntOp::create(b, 1, 64)));
}

/// Forgets whom the results came from: the next grant goes to everybody.
bool grantsToSome(Operation *op) {
  auto grant = dyn_cast<GrantOp>(op);
  return grant && grant.getTo();
}

void grantToAll(Operation *op) { cast<GrantOp>(op).getToMutable().clear(); }

void otherTag(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto exchange = cast<ExchangeOp>(op);
  auto role = op->getParentOfType<RoleOp>();
  auto view =
      ViewOp::create(b, b.getI64Type(), b.getI64Type(), role.getGroup());
  exchange.getTagMutable().assign(
      arith::AddIOp::create(b, exchange.getTag(), view.getRank()));
}

void tooManyPulls(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Operation *copy = b.clone(*op);
  Block &round = *op->getParentOfType<StrandOp>().getBody().begin();
  if (op->getBlock() == &round)
    b.setInsertionPoint(round.getTerminator());
  else
    b.setInsertionPoint(op->getBlock()->getTerminator());
  AwaitOp::create(b, copy->getResult(0));
}

void untilNever(Operation *op) {
  auto repeat = cast<RepeatOp>(op);
  ImplicitLocOpBuilder b(op->getLoc(), op);
  repeat.getUntilMutable().clear();
  if (!repeat.getAtMost())
    repeat.getAtMostMutable().append(
        arith::ConstantIntOp::create(b, 1, 64).getResult());
}

const Mutation mutations[] = {
    // Futures.
    {"drop-await", is<AwaitOp>, drop},
    {"await-twice", any<AwaitOp>, awaitTwice},
    {"await-under-condition", isInRound<AwaitOp>, underStop},
    {"forget-carried", carriesFuture, forgetCarried},
    {"start-twice",
     [](Operation *op) {
       return isCollectiveInRound(op) || isa<ExchangeOp, PullOp>(op);
     },
     startTwice},
    // Uniformity.
    {"collective-under-stop", isCollectiveInRound, underStop},
    {"collective-under-poll", isCollectiveInRound, underPoll},
    {"collective-under-rank", isCollectiveInRound, underRank},
    {"collective-in-repeat", isCollectiveInRound, inRepeat},
    {"swap-on-rank", isCollectiveInRound, swapOnRank},
    {"local-go", any<NextOp>, localGo},
    {"never-stop", any<NextOp>, neverStop},
    {"commit-under-rank", isInRound<CommitOp>, underRank},
    // Cells.
    {"read-outside-atomic", hasArgumentInUse, readOutside},
    {"write-setting",
     [](Operation *op) { return isa<AtomicOp>(op) && inRound(op); },
     writeSetting},
    {"write-in-model", any<ModelOp>, writeInModel},
    {"change-before-fallible", followsFallible, changeEarly},
    // Channels and policies.
    {"drop-grant", is<GrantOp>, drop},
    {"drop-close", is<CloseOp>, drop},
    {"drop-push", is<PushOp>, drop},
    {"drop-commit", is<CommitOp>, drop},
    {"old-ticket", any<PushOp>, oldTicket},
    {"grant-to-all", grantsToSome, grantToAll},
    {"pull-twice", [](Operation *op) { return isa<PullOp>(op) && inRound(op); },
     tooManyPulls},
    {"other-tag", any<ExchangeOp>, otherTag},
    {"exchange-under-rank", isInRound<ExchangeOp>, underRank},
    {"drop-meet", isInRound<MeetOp>, drop},
    {"drop-ask", isAskedForDecision, drop},
    {"until-never",
     [](Operation *op) {
       auto repeat = dyn_cast<RepeatOp>(op);
       return repeat && repeat.getUntil();
     },
     untilNever},
};

class GsyncTestMutate
    : public rubato::impl::GsyncTestMutateBase<GsyncTestMutate> {
public:
  using GsyncTestMutateBase::GsyncTestMutateBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const Mutation *mutation = llvm::find_if(
        mutations, [&](const Mutation &m) { return m.kind == kind; });
    if (mutation == std::end(mutations)) {
      InFlightDiagnostic diag = module.emitError("unknown mutation '")
                                << kind.getValue() << "'; there are:";
      for (const Mutation &each : mutations)
        diag << " " << each.kind;
      return signalPassFailure();
    }
    SmallVector<Operation *> sites;
    module.walk([&](Operation *op) {
      if (mutation->applies(op))
        sites.push_back(op);
    });
    if (site >= sites.size()) {
      module.emitError("mutation '")
          << kind.getValue() << "' has " << sites.size() << " sites, not "
          << site + 1;
      return signalPassFailure();
    }
    sites[site]->emitRemark("mutated: ") << kind.getValue();
    mutation->apply(sites[site]);
  }
};

} // namespace
