// Refuses programs that are no synchronous ones before anything is changed.
#include "rubato/Kernels/SynchronousProgram.h"

#include "dialects/gsync/Gsync.h"
#include "rubato/Support/Unsupported.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

static bool isCounted(RepeatOp repeat) {
  return !repeat.getUntil() && repeat.getAtLeast() == repeat.getAtMost();
}

/// Whether one operation of a program can be compiled.
static bool isSynchronous(Operation *op) {
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
               StopRequestedOp, ZeroOp, NextOp>(op);
  // Host control flow; tensor work brings regions of its own dialects.
  return op->getNumRegions() == 0 || op->getDialect()->getNamespace() != "scf";
}

LogicalResult rubato::checkSynchronous(ModuleOp module, StringRef stage) {
  auto refuse = [&](Operation *op) {
    InFlightDiagnostic diag =
        op->emitOpError()
        << stage
        << ": cannot be compiled to native code: only the synchronous program "
           "can (one role, one strand that carries nothing, counted loops, one "
           "all_reduce awaited in the round); run the program of the sync "
           "stage with rubato-interp, or choose another algorithm";
    markUnsupported(diag);
    return diag;
  };
  unsigned roles = 0;
  for (Operation &op : *module.getBody()) {
    if (isa<PolicyOp, RendezvousOp>(op))
      return refuse(&op);
    auto role = dyn_cast<RoleOp>(op);
    if (!role)
      continue;
    if (++roles > 1 || llvm::range_size(role.strands()) > 1)
      return refuse(role);
    Operation *wrong = nullptr;
    unsigned reductions = 0;
    role.walk<WalkOrder::PreOrder>([&](Operation *inner) {
      if (isSynchronous(inner) &&
          !(isa<AllReduceOp>(inner) && ++reductions > 1))
        return WalkResult::advance();
      wrong = inner;
      return WalkResult::interrupt();
    });
    if (wrong)
      return refuse(wrong);
  }
  return success();
}
