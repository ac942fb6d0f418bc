// Which programs of gsync are one synchronous round.
#include "rubato/Kernels/SynchronousProgram.h"

#include "dialects/gsync/Gsync.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

static bool isCounted(RepeatOp repeat) {
  return !repeat.getUntil() && repeat.getAtLeast() == repeat.getAtMost();
}

/// Whether one operation may stand in a synchronous round.
static bool mayStandInRound(Operation *op) {
  if (auto strand = dyn_cast<StrandOp>(op))
    return strand.getBody().getNumArguments() == 0;
  if (auto repeat = dyn_cast<RepeatOp>(op))
    return isCounted(repeat);
  if (auto batch = dyn_cast<NextBatchOp>(op))
    return batch.getSource() == BatchSource::Cursor;
  if (auto reduce = dyn_cast<AllReduceOp>(op))
    return reduce.getSparse().empty();
  if (auto atomic = dyn_cast<AtomicOp>(op))
    return atomic.getNumResults() == 0;
  if (isa<GsyncDialect>(op->getDialect()))
    return isa<RoleOp, ModelOp, LoadOp, YieldOp, AwaitOp, QuantaOp,
               StopRequestedOp, WorkOp, ZeroOp, NextOp>(op);
  // Host control flow; tensor work brings regions of its own dialects.
  return op->getNumRegions() == 0 || op->getDialect()->getNamespace() != "scf";
}

bool rubato::isSynchronous(ModuleOp module) {
  unsigned roles = 0, reductions = 0;
  for (Operation &op : *module.getBody()) {
    if (isa<PolicyOp, RendezvousOp>(op))
      return false;
    auto role = dyn_cast<RoleOp>(op);
    if (!role)
      continue;
    if (++roles > 1 || llvm::range_size(role.strands()) > 1)
      return false;
    WalkResult walk = role.walk<WalkOrder::PreOrder>([&](Operation *inner) {
      bool second = isa<AllReduceOp>(inner) && ++reductions > 1;
      return mayStandInRound(inner) && !second ? WalkResult::advance()
                                               : WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return false;
  }
  return true;
}
