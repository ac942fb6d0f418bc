// The data flow of uniform and local values.
#include "Uniformity.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

Uniformity::Uniformity(ModuleOp module) : module(module) {
  module.walk([&](AtomicOp atomic) {
    auto strand = atomic->getParentOfType<StrandOp>();
    if (!strand)
      return;
    for (auto cell : atomic.getCells().getAsRange<FlatSymbolRefAttr>()) {
      auto &known = writers[cell.getAttr()];
      if (llvm::none_of(known, [&](auto &w) { return w.first == strand; }))
        known.push_back({strand, atomic});
      // The order of changes by two strands is nobody's decision.
      if (known.size() > 1)
        cells.try_emplace(cell.getAttr(), known.back().second);
    }
  });
  do {
    changed = false;
    for (auto role : module.getOps<RoleOp>())
      visitRole(role);
  } while (changed);
}

//===----------------------------------------------------------------------===//
// The lattice
//===----------------------------------------------------------------------===//

void Uniformity::mark(Value value, Cause cause) {
  if (cause)
    changed |= values.try_emplace(value, cause).second;
}

Uniformity::Cause Uniformity::join(ValueRange joined) const {
  for (Value value : joined)
    if (Cause cause = causeOf(value))
      return cause;
  return nullptr;
}

void Uniformity::flow(ValueRange from, ValueRange to, Cause extra) {
  for (auto [source, target] : llvm::zip(from, to))
    mark(target, extra ? extra : causeOf(source));
}

Uniformity::Cause Uniformity::causeOfCell(StringAttr cell,
                                          Operation *part) const {
  if (Cause cause = cells.lookup(cell))
    return cause;
  // What a strand sees of its sibling's work depends on when it looks.
  auto known = writers.find(cell);
  if (isa<StrandOp>(part) && known != writers.end())
    for (auto [strand, atomic] : known->second)
      if (strand != part && strand->getParentOp() == part->getParentOp())
        return atomic;
  return nullptr;
}

/// Whether two bounds are the same number.
static bool isSame(Value a, Value b) {
  llvm::APInt x, y;
  return a == b || (matchPattern(a, m_ConstantInt(&x)) &&
                    matchPattern(b, m_ConstantInt(&y)) && x == y);
}

Operation *Uniformity::causeOfPath(Operation *control) const {
  if (auto branch = dyn_cast<scf::IfOp>(control))
    return causeOf(branch.getCondition());
  if (auto branch = dyn_cast<scf::IndexSwitchOp>(control))
    return causeOf(branch.getArg());
  if (auto repeat = dyn_cast<RepeatOp>(control)) {
    if (repeat.getUntil() || !isSame(repeat.getAtLeast(), repeat.getAtMost()))
      return repeat;
    return join({repeat.getAtLeast(), repeat.getAtMost()});
  }
  if (auto loop = dyn_cast<scf::ForOp>(control))
    return join({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
  if (auto loop = dyn_cast<scf::WhileOp>(control))
    return causeOf(loop.getConditionOp().getCondition());
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

void Uniformity::visitRole(RoleOp role) {
  for (Operation &part : role.getBody().front())
    visitBlock(part.getRegion(0).front(), nullptr);
  auto init = role.part<InitOp>();
  auto drain = role.part<DrainOp>();
  unsigned first = 0;
  for (StrandOp strand : role.strands()) {
    Block &body = strand.getBody().front();
    auto next = cast<NextOp>(body.getTerminator());
    if (init) {
      auto yield = cast<YieldOp>(init.getBody().front().getTerminator());
      flow(yield.getValues().slice(first, body.getNumArguments()),
           body.getArguments());
    }
    flow(next.getCarried(), body.getArguments());
    // Strands that end after different numbers of rounds end differently.
    if (drain)
      flow(body.getArguments(),
           drain.getBody().getArguments().slice(first, body.getNumArguments()),
           causeOf(next.getGo()));
    first += body.getNumArguments();
  }
}

void Uniformity::visitBlock(Block &block, Cause reach) {
  for (Operation &op : block)
    visit(&op, reach);
}

void Uniformity::visit(Operation *op, Cause reach) {
  if (isBranch(op))
    return visitBranch(op, reach);
  if (auto repeat = dyn_cast<RepeatOp>(op))
    return visitRepeat(repeat, reach);
  if (isLoop(op))
    return visitScfLoop(op, reach);
  if (auto atomic = dyn_cast<AtomicOp>(op))
    return visitAtomic(atomic, reach);
  if (visitSource(op))
    return;
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  Cause cause = join(used.getArrayRef());
  for (Value result : op->getResults())
    mark(result, cause);
}

/// Operations of gsync that do not just pass on what their operands are.
bool Uniformity::visitSource(Operation *op) {
  auto local = [&] {
    for (Value result : op->getResults())
      mark(result, op);
    return true;
  };
  if (isa<AllReduceOp, AllGatherOp, BroadcastOp, ReadyOp, QuantaOp,
          RoundSamplesOp, DataSamplesOp, CommitOp>(op))
    return true;
  if (isa<ReduceScatterOp, ExchangeOp, PullOp, CollectOp, WorkersOp, DoneOp,
          NowOp, StopRequestedOp, NextBatchOp, MeetOp>(op))
    return local();
  if (auto view = dyn_cast<ViewOp>(op)) {
    mark(view.getRank(), op);
    // Members see a change of the group at a boundary of rounds: at the same
    // one only where they have rounds in common. No strand runs in an init or a
    // drain, and all members get there together.
    Operation *part = partOf(op);
    if (isa<StrandOp>(part) && !sharesRounds(part))
      mark(view.getMembers(), op);
    return true;
  }
  if (auto load = dyn_cast<LoadOp>(op)) {
    mark(load.getValue(),
         causeOfCell(load.getCellAttr().getAttr(), partOf(op)));
    return true;
  }
  if (auto ask = dyn_cast<AskOp>(op)) {
    PolicyOp policy = policyOf(ask);
    if (!policy || policy.getPlacement() != Placement::Replicated)
      return local();
  }
  return false;
}

void Uniformity::visitBranch(Operation *op, Cause reach) {
  Cause path = causeOfPath(op);
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    visitBlock(region.front(), reach ? reach : path);
    flow(region.front().getTerminator()->getOperands(), op->getResults(), path);
  }
}

void Uniformity::visitRepeat(RepeatOp op, Cause reach) {
  Cause path = causeOfPath(op);
  Block &body = op.getBody().front();
  auto yield = cast<YieldOp>(body.getTerminator());
  flow(op.getInits(), body.getArguments().drop_front());
  flow(yield.getValues(), body.getArguments().drop_front());
  visitBlock(body, reach ? reach : path);
  flow(op.getInits(), op.getResults(), path);
  flow(yield.getValues(), op.getResults(), path);
  mark(op.getCount(), path);
}

void Uniformity::visitScfLoop(Operation *op, Cause reach) {
  Cause path = causeOfPath(op);
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    mark(loop.getInductionVar(), path);
    flow(loop.getInitArgs(), loop.getRegionIterArgs());
    flow(loop.getYieldedValues(), loop.getRegionIterArgs());
    visitBlock(*loop.getBody(), reach ? reach : path);
    flow(loop.getRegionIterArgs(), loop.getResults(), path);
    return;
  }
  auto loop = cast<scf::WhileOp>(op);
  ValueRange passed = loop.getConditionOp().getArgs();
  flow(loop.getInits(), loop.getBeforeArguments());
  flow(loop.getYieldOp().getResults(), loop.getBeforeArguments());
  visitBlock(*loop.getBeforeBody(), reach ? reach : path);
  flow(passed, loop.getAfterArguments());
  visitBlock(*loop.getAfterBody(), reach ? reach : path);
  flow(passed, loop.getResults(), path);
}

void Uniformity::visitAtomic(AtomicOp op, Cause reach) {
  Operation *part = partOf(op);
  Block &body = op.getBody().front();
  auto yield = cast<YieldOp>(body.getTerminator());
  auto names = op.getCells().getAsRange<FlatSymbolRefAttr>();
  for (auto [name, argument] : llvm::zip(names, body.getArguments()))
    mark(argument, causeOfCell(name.getAttr(), part));
  visitBlock(body, reach);
  // A change is uniform where every member makes it, the same, equally often.
  Cause ends = nullptr;
  if (auto strand = dyn_cast<StrandOp>(part))
    ends =
        causeOf(cast<NextOp>(strand.getBody().front().getTerminator()).getGo());
  for (auto [name, argument, value] :
       llvm::zip(names, body.getArguments(), yield.getCells())) {
    Cause cause = causeOf(value) ? causeOf(value) : reach ? reach : ends;
    if (cause && value != argument)
      changed |= cells.try_emplace(name.getAttr(), cause).second;
  }
  flow(yield.getValues(), op.getResults());
}
