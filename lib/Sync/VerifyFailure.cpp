// Warns where cells change before the last operation of a round that may fail.
//
// A failed round runs again from its boundary, but cells keep what they got: a
// change in front of something fallible would be made twice.
#include "ProgramStructure.h"
#include "rubato/Sync/Passes.h"
#include "rubato/Sync/Verify.h"

namespace rubato {
#define GEN_PASS_DEF_GSYNCVERIFYFAILURE
#include "rubato/Sync/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

/// The last fallible operation below `op`, in the order of the text.
static Operation *lastFallible(Operation *op) {
  Operation *last = nullptr;
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    if (mayFail(inner))
      last = inner;
  });
  return last;
}

static void warn(AtomicOp atomic, Operation *fallible) {
  InFlightDiagnostic diag =
      atomic.emitWarning("'gsync.atomic' op ")
      << kSyncStage << "changes cells in front of '" << fallible->getName()
      << "', which may fail: the round then runs again and changes them twice; "
         "move the atomic behind it, or mark it repeatable where that does no "
         "harm";
  diag.attachNote(fallible->getLoc()) << "may fail";
}

/// Walks a block backwards. `after` is the last operation that may fail behind
/// it; returns the last one in or behind it.
static Operation *visit(Block &block, Operation *after) {
  for (Operation &op : llvm::reverse(block)) {
    if (auto atomic = dyn_cast<AtomicOp>(op)) {
      if (after && !atomic.getRepeatable())
        warn(atomic, after);
      continue;
    }
    if (isBranch(&op)) {
      Operation *behind = after;
      for (Region &region : op.getRegions())
        if (!region.empty())
          if (Operation *found = visit(region.front(), behind); !after)
            after = found;
      continue;
    }
    if (isLoop(&op)) {
      // What stands in front of an atomic in a loop also comes behind it.
      Operation *behind = after ? after : lastFallible(&op);
      for (Region &region : op.getRegions())
        if (!region.empty())
          visit(region.front(), behind);
      after = behind;
      continue;
    }
    if (!after && mayFail(&op))
      after = &op;
  }
  return after;
}

LogicalResult rubato::verifyFailure(ModuleOp module) {
  auto program = FlatProgram::get(module);
  if (failed(program))
    return failure();
  for (auto role : program->module().getOps<RoleOp>())
    for (StrandOp strand : role.strands())
      visit(strand.getBody().front(), nullptr);
  return success();
}

namespace {
class GsyncVerifyFailure
    : public rubato::impl::GsyncVerifyFailureBase<GsyncVerifyFailure> {
  void runOnOperation() override {
    if (failed(verifyFailure(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
