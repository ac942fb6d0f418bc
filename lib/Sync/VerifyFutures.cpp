// Futures are consumed exactly once on every path.
//
// A walk along the structure of the program. The state is which futures have
// been consumed, and by what; alternatives must agree on it, loops must not
// change it. Functions are checked one by one: a call consumes the futures it
// takes and makes those it gives.
#include "ProgramStructure.h"
#include "rubato/Sync/Passes.h"
#include "rubato/Sync/Verify.h"

namespace rubato {
#define GEN_PASS_DEF_GSYNCVERIFYFUTURES
#include "rubato/Sync/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

static bool isFuture(Value value) { return isa<FutureType>(value.getType()); }

/// Whether futures occur in an operation or below it.
static bool hasFutures(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return llvm::any_of(inner->getOperands(), isFuture) ||
                       llvm::any_of(inner->getResults(), isFuture)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Operations that make a future. A call does where its function gives one.
static bool makesFutures(Operation *op) {
  return isCollective(op) || isBranch(op) ||
         isa<ExchangeOp, PullOp, ReadyOp, func::CallOp>(op);
}

/// What makes a future: an operation, or the part whose argument it is.
static Operation *makerOf(Value future) {
  if (Operation *def = future.getDefiningOp())
    return def;
  return cast<BlockArgument>(future).getOwner()->getParentOp();
}

namespace {
class FutureChecker {
public:
  /// Checks a part of a role or a function.
  LogicalResult run(Operation *root) {
    Region &body = root->getRegion(0);
    if (body.empty())
      return success();
    if (!body.hasOneBlock()) {
      if (!hasFutures(root))
        return success();
      return root->emitOpError(kSyncStage)
             << "uses futures in several blocks, where their paths cannot be "
                "followed; write branches with scf.if";
    }
    return run(body.front());
  }

private:
  LogicalResult run(Block &block);
  LogicalResult use(Operation *op, Value future);
  LogicalResult consume(Operation *op, Value future);
  LogicalResult branch(Operation *op);
  LogicalResult loop(Operation *op);
  LogicalResult refuse(Operation *op) {
    return op->emitOpError(kSyncStage)
           << "may not use a future: only gsync.await, gsync.next, a yield or "
              "a call consume one, only gsync.done and the until of "
              "gsync.repeat observe one";
  }

  /// What has consumed a future.
  DenseMap<Value, Operation *> consumed;
  /// The loops around the operation that is looked at, outermost first.
  SmallVector<Operation *> loops;
};
} // namespace

LogicalResult FutureChecker::run(Block &block) {
  SmallVector<Value> born;
  llvm::copy_if(block.getArguments(), std::back_inserter(born), isFuture);
  for (Operation &op : block) {
    // Terminators last of all: they hand on what the block leaves.
    for (Value operand : op.getOperands())
      if (isFuture(operand) && failed(use(&op, operand)))
        return failure();
    if (llvm::any_of(op.getResults(), isFuture) && !makesFutures(&op) &&
        !isLoop(&op))
      return op.emitOpError(kSyncStage)
             << "may not give a future: they are made by collectives, "
                "gsync.exchange, gsync.pull and gsync.ready, and chosen by "
                "scf.if";
    if (isBranch(&op) ? failed(branch(&op)) : failed(loop(&op)))
      return failure();
    llvm::copy_if(op.getResults(), std::back_inserter(born), isFuture);
  }
  for (Value future : born)
    if (!consumed.contains(future)) {
      Operation *maker = makerOf(future);
      auto argument = dyn_cast<BlockArgument>(future);
      return maker->emitOpError(kSyncStage)
             << (argument ? "the future it takes as argument #" : "its future")
             << (argument ? std::to_string(argument.getArgNumber()) : "")
             << " is never consumed; await it, carry it in gsync.next or "
                "yield it, once on every path";
    }
  return success();
}

LogicalResult FutureChecker::use(Operation *op, Value future) {
  if (Operation *before = consumed.lookup(future)) {
    InFlightDiagnostic diag =
        op->emitOpError(kSyncStage)
        << (before == op ? "takes the same future twice"
                         : "uses a future that was consumed before")
        << "; a future is consumed exactly once, so keep its values instead";
    if (before != op)
      diag.attachNote(before->getLoc()) << "consumed here";
    return diag;
  }
  if (isa<DoneOp>(op))
    return success();
  if (auto repeat = dyn_cast<RepeatOp>(op))
    if (repeat.getUntil() == future &&
        !llvm::is_contained(repeat.getInits(), future))
      return success();
  if (isLoop(op))
    return success(); // refused with its reason in loop()
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = op->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(
        call.getCallee());
    if (!callee || callee.isExternal())
      return op->emitOpError(kSyncStage)
             << "hands a future to @" << call.getCallee()
             << ", which has no body, so nobody knows whether it is awaited; "
                "await it here and pass the values";
    return consume(op, future);
  }
  if (isa<AwaitOp, NextOp, func::ReturnOp>(op))
    return consume(op, future);
  // Yields of branches and of an init hand a future on.
  if (op->hasTrait<OpTrait::IsTerminator>() &&
      (isBranch(op->getParentOp()) || isa<InitOp>(op->getParentOp())))
    return consume(op, future);
  return refuse(op);
}

LogicalResult FutureChecker::consume(Operation *op, Value future) {
  for (Operation *loop : loops)
    if (!loop->isAncestor(makerOf(future))) {
      InFlightDiagnostic diag =
          op->emitOpError(kSyncStage)
          << "consumes, in a loop, a future from outside of it: as often as "
             "the loop runs; await it in front of the loop";
      diag.attachNote(loop->getLoc()) << "the loop";
      return diag;
    }
  consumed[future] = op;
  return success();
}

LogicalResult FutureChecker::branch(Operation *op) {
  DenseMap<Value, Operation *> before = consumed;
  std::optional<DenseMap<Value, Operation *>> first;
  if (maySkip(op))
    first = before;
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    consumed = before;
    if (failed(run(region.front())))
      return failure();
    // What was made inside has its own path, which run() has checked.
    DenseMap<Value, Operation *> outside;
    for (auto [future, by] : consumed)
      if (!op->isProperAncestor(makerOf(future)))
        outside[future] = by;
    if (!first) {
      first = std::move(outside);
      continue;
    }
    for (auto *pair : {&*first, &outside})
      for (auto [future, by] : *pair)
        if (!(pair == &*first ? outside : *first).contains(future)) {
          InFlightDiagnostic diag =
              op->emitOpError(kSyncStage)
              << "consumes a future on one path and not on the other; consume "
                 "it on both, or await it in front";
          diag.attachNote(by->getLoc()) << "consumed here";
          diag.attachNote(makerOf(future)->getLoc()) << "the future";
          return diag;
        }
  }
  if (first)
    consumed = *first;
  return success();
}

/// Loops, and everything else that has regions.
LogicalResult FutureChecker::loop(Operation *op) {
  if (op->getNumRegions() == 0)
    return success();
  if (!isLoop(op))
    return hasFutures(op) ? refuse(op) : success();
  auto repeat = dyn_cast<RepeatOp>(op);
  bool carries = llvm::any_of(op->getResults(), isFuture) ||
                 llvm::any_of(repeat ? ValueRange(repeat.getInits())
                                     : ValueRange(op->getOperands()),
                              isFuture);
  for (Region &region : op->getRegions())
    carries |= llvm::any_of(region.getArguments(), isFuture);
  if (carries)
    return op->emitOpError(kSyncStage)
           << "may not carry a future: optimisations drop what a loop only "
              "passes on; await it in the loop, or carry it from round to "
              "round by gsync.next";
  loops.push_back(op);
  for (Region &region : op->getRegions())
    if (!region.empty() && failed(run(region.front())))
      return failure();
  loops.pop_back();
  return success();
}

/// What the last round of a strand carries has nobody but the drain.
static LogicalResult checkDrained(RoleOp role) {
  if (role.part<DrainOp>())
    return success(); // takes all that is carried, and run() looks at it
  for (StrandOp strand : role.strands()) {
    auto next = cast<NextOp>(strand.getBody().front().getTerminator());
    if (llvm::any_of(next.getCarried(), isFuture))
      return next.emitOpError(kSyncStage)
             << "carries a future, but role @" << role.getSymName()
             << " has no gsync.drain: after the last round nobody consumes "
                "it; add a gsync.drain that takes what the strands carry and "
                "awaits it";
  }
  return success();
}

LogicalResult rubato::verifyFutures(ModuleOp module) {
  bool sound = true;
  auto check = [&](Operation *root) {
    sound &= succeeded(FutureChecker().run(root));
  };
  for (auto function : module.getOps<func::FuncOp>())
    check(function);
  for (auto role : module.getOps<RoleOp>()) {
    for (Operation &part : role.getBody().front())
      check(&part);
    sound &= succeeded(checkDrained(role));
  }
  return success(sound);
}

namespace {
class GsyncVerifyFutures
    : public rubato::impl::GsyncVerifyFuturesBase<GsyncVerifyFutures> {
  void runOnOperation() override {
    if (failed(verifyFutures(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
