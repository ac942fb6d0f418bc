// sched-verify-segments: the race proof of every segment.
#include "rubato/Schedule/Passes.h"
#include "rubato/Schedule/SegmentOrder.h"

using namespace mlir;

namespace rubato {
#define GEN_PASS_DEF_SCHEDVERIFYSEGMENTSPASS
#include "rubato/Schedule/Passes.h.inc"
} // namespace rubato

namespace {

struct VerifySegments
    : rubato::impl::SchedVerifySegmentsPassBase<VerifySegments> {
  void runOnOperation() override {
    rubato::BufferTable buffers = rubato::collectBuffers(getOperation());
    for (auto segment : getOperation().getOps<rubato::sched::SegmentOp>()) {
      auto violations = rubato::checkSegment(segment, buffers);
      llvm::for_each(violations, rubato::emitViolation);
      if (!violations.empty())
        signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
