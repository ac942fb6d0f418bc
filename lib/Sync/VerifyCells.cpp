// Who may change which cell, and that no change gets lost.
#include "ProgramStructure.h"
#include "rubato/Sync/Passes.h"
#include "rubato/Sync/Verify.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

namespace rubato {
#define GEN_PASS_DEF_GSYNCVERIFYCELLS
#include "rubato/Sync/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

/// The cells that an operation touches.
static SmallVector<StringAttr> cellsOf(Operation *op) {
  SmallVector<StringAttr> names;
  if (auto load = dyn_cast<LoadOp>(op))
    names.push_back(load.getCellAttr().getAttr());
  if (auto atomic = dyn_cast<AtomicOp>(op))
    for (auto cell : atomic.getCells().getAsRange<FlatSymbolRefAttr>())
      names.push_back(cell.getAttr());
  return names;
}

/// A member runs one role, and its cells are its own.
static LogicalResult checkRoles(ModuleOp module) {
  DenseMap<StringAttr, Operation *> users;
  WalkResult walk = module.walk([&](Operation *op) {
    auto role = op->getParentOfType<RoleOp>();
    if (!role)
      return WalkResult::advance();
    for (StringAttr cell : cellsOf(op)) {
      auto declared = module.lookupSymbol<CellOp>(cell);
      // Settings are given to every member, whatever it runs.
      if (declared && declared.getRole() == CellRole::Setting)
        continue;
      Operation *first = users.try_emplace(cell, op).first->second;
      if (first->getParentOfType<RoleOp>() == role)
        continue;
      InFlightDiagnostic diag =
          op->emitOpError(kSyncStage)
          << "touches cell @" << cell.getValue()
          << " of another role: a member runs one role, and what it holds is "
             "its own; send the value over a channel, or declare a second cell";
      diag.attachNote(first->getLoc())
          << "role @" << first->getParentOfType<RoleOp>().getSymName()
          << " touches it here";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

/// A model looks at the cells; it is run when the runtime wants to know.
static LogicalResult checkModel(ModelOp model) {
  WalkResult walk = model.walk([](Operation *op) {
    StringRef what =
        isa<AtomicOp>(op)      ? "changes cells"
        : isa<NextBatchOp>(op) ? "takes a batch"
        : isa<AskOp>(op)       ? "asks a policy"
        : isa<MeetOp, CommitOp, PullOp, PushOp, CollectOp, GrantOp, CloseOp>(op)
            ? "takes part in the training"
            : "";
    if (what.empty())
      return WalkResult::advance();
    op->emitOpError(kSyncStage)
        << what
        << " in a gsync.model, which is run whenever somebody looks at the "
           "model and must leave no trace; do it in a strand or in the drain";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

/// What an operation says of itself, said again of what calls bring in: an
/// atomic holds its lock while it runs, so nothing in it waits.
static LogicalResult checkAtomic(AtomicOp atomic) {
  WalkResult walk = atomic.getBody().walk([&](Operation *op) {
    if (!isAction(op) || isa<LoadOp, NowOp>(op))
      return WalkResult::advance();
    InFlightDiagnostic diag =
        op->emitOpError(kSyncStage)
        << "may not stand in a gsync.atomic: it could wait, and the cells are "
           "locked meanwhile; move the call that leads to it in front of the "
           "atomic";
    diag.attachNote(atomic.getLoc()) << "the atomic";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Lost updates
//===----------------------------------------------------------------------===//

namespace {
/// Finds where a value comes from: snapshots of a cell taken outside of the
/// atomic that is looked at, or the cell's value inside of it.
class Origins {
public:
  Origins(AtomicOp atomic, StringAttr cell) : atomic(atomic), cell(cell) {}

  Operation *snapshot = nullptr; // outside
  bool current = false;          // the atomic's own argument

  void trace(Value value) {
    if (!seen.insert(value).second)
      return;
    if (auto argument = dyn_cast<BlockArgument>(value))
      return traceArgument(argument);
    Operation *def = value.getDefiningOp();
    bool inside = atomic->isAncestor(def);
    if (auto load = dyn_cast<LoadOp>(def)) {
      if (load.getCellAttr().getAttr() == cell)
        inside ? void(current = true) : void(snapshot = load);
      return;
    }
    if (auto earlier = dyn_cast<AtomicOp>(def))
      return traceAtomic(earlier, cast<OpResult>(value).getResultNumber());
    llvm::SetVector<Value> used(def->operand_begin(), def->operand_end());
    getUsedValuesDefinedAbove(def->getRegions(), used);
    llvm::for_each(used, [&](Value v) { trace(v); });
    for (Region &region : def->getRegions())
      if (!region.empty() && (isBranch(def) || isLoop(def)))
        for (Value v : region.front().getTerminator()->getOperands())
          trace(v);
  }

private:
  /// What an earlier atomic gives may be the cell's value at that time.
  void traceAtomic(AtomicOp earlier, unsigned number) {
    Block &body = earlier.getBody().front();
    Value given = cast<YieldOp>(body.getTerminator()).getValues()[number];
    Origins inner(earlier, cell);
    inner.trace(given);
    if (inner.current || inner.snapshot)
      snapshot = inner.current ? earlier : inner.snapshot;
  }

  void traceArgument(BlockArgument argument) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (owner == atomic) {
      auto name =
          cast<FlatSymbolRefAttr>(atomic.getCells()[argument.getArgNumber()]);
      current |= name.getAttr() == cell;
      return;
    }
    // Carried values: all that enter a loop or come from the round before.
    if (isLoop(owner))
      for (Value operand : owner->getOperands())
        trace(operand);
    if (isLoop(owner))
      for (Region &region : owner->getRegions())
        for (Value v : region.front().getTerminator()->getOperands())
          trace(v);
    if (auto strand = dyn_cast<StrandOp>(owner)) {
      trace(cast<NextOp>(strand.getBody().front().getTerminator())
                .getCarried()[argument.getArgNumber()]);
      if (Value first = firstOf(strand, argument.getArgNumber()))
        trace(first);
    }
  }

  /// What the init yields for an argument of a strand: the values for all
  /// strands, one strand after the other.
  static Value firstOf(StrandOp strand, unsigned number) {
    auto role = cast<RoleOp>(strand->getParentOp());
    auto init = role.part<InitOp>();
    if (!init)
      return {};
    for (StrandOp before : role.strands()) {
      if (before == strand)
        break;
      number += before.getBody().getNumArguments();
    }
    auto yield = cast<YieldOp>(init.getBody().front().getTerminator());
    return yield.getValues()[number];
  }

  AtomicOp atomic;
  StringAttr cell;
  DenseSet<Value> seen;
};
} // namespace

/// A cell that two strands change must be changed from its value under the
/// lock, not from one that was read before.
static LogicalResult checkLostUpdates(RoleOp role) {
  DenseMap<StringAttr, llvm::SmallPtrSet<Operation *, 2>> writers;
  role.walk([&](AtomicOp atomic) {
    Operation *part = partOf(atomic);
    for (StringAttr cell : cellsOf(atomic))
      if (isa<StrandOp>(part))
        writers[cell].insert(part);
  });
  WalkResult walk = role.walk([&](AtomicOp atomic) {
    if (!isa<StrandOp>(partOf(atomic)))
      return WalkResult::advance();
    auto yield = cast<YieldOp>(atomic.getBody().front().getTerminator());
    for (auto [cell, value] : llvm::zip(cellsOf(atomic), yield.getCells())) {
      if (writers[cell].size() < 2)
        continue;
      Origins origins(atomic, cell);
      origins.trace(value);
      if (!origins.snapshot || origins.current)
        continue;
      InFlightDiagnostic diag =
          atomic.emitOpError(kSyncStage)
          << "changes @" << cell.getValue()
          << " by a value read before: a read-modify-write outside an atomic, "
             "which loses what another strand changes in between; compute the "
             "new value from the atomic's argument for the cell";
      diag.attachNote(origins.snapshot->getLoc()) << "read here";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Locks
//===----------------------------------------------------------------------===//

/// Says which cells share a lock: those that ever appear together in an atomic.
static void printLockGroups(RoleOp role) {
  llvm::EquivalenceClasses<StringAttr> groups;
  llvm::MapVector<StringAttr, unsigned> order;
  role.walk([&](AtomicOp atomic) {
    SmallVector<StringAttr> cells = cellsOf(atomic);
    for (StringAttr cell : cells) {
      order.insert({cell, order.size()});
      groups.unionSets(cells.front(), cell);
    }
  });
  llvm::MapVector<StringAttr, SmallVector<std::string>> locks;
  for (auto [cell, position] : order)
    locks[groups.getLeaderValue(cell)].push_back(("@" + cell.getValue()).str());
  for (auto [number, lock] : llvm::enumerate(locks))
    role.emitRemark("lock ") << number << ": " << llvm::join(lock.second, ", ");
}

LogicalResult rubato::verifyCells(ModuleOp module, bool printLocks) {
  auto program = FlatProgram::get(module);
  if (failed(program) || failed(checkRoles(program->module())))
    return failure();
  for (auto role : program->module().getOps<RoleOp>()) {
    WalkResult atomics = role.walk<WalkOrder::PreOrder>(
        [](AtomicOp atomic) { return WalkResult(checkAtomic(atomic)); });
    if (atomics.wasInterrupted())
      return failure();
    if (auto model = role.part<ModelOp>(); model && failed(checkModel(model)))
      return failure();
    if (failed(checkLostUpdates(role)))
      return failure();
    if (printLocks)
      printLockGroups(role);
  }
  return success();
}

namespace {
class GsyncVerifyCells
    : public rubato::impl::GsyncVerifyCellsBase<GsyncVerifyCells> {
  using GsyncVerifyCellsBase::GsyncVerifyCellsBase;

  void runOnOperation() override {
    if (failed(verifyCells(getOperation(), printLocks)))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
