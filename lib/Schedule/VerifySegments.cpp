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
  /// One missing event can break hundreds of pairs; this many tell the story.
  static constexpr size_t reported = 8;

  void runOnOperation() override {
    rubato::BufferTable buffers = rubato::collectBuffers(getOperation());
    for (auto segment : getOperation().getOps<rubato::sched::SegmentOp>()) {
      auto violations = rubato::checkSegment(segment, buffers);
      if (violations.empty())
        continue;
      signalPassFailure();
      ArrayRef<rubato::Violation> all = violations;
      llvm::for_each(all.take_front(reported), rubato::emitViolation);
      if (all.size() > reported)
        segment.emitOpError("breaks ")
            << all.size() - reported << " more rules of the same kind";
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
