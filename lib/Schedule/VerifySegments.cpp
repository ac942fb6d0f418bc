// sched-verify-segments: the race proof of every segment, and that values are
// made writable before segments write to them.
#include "SegmentValues.h"

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
    SymbolTable symbols(getOperation());
    for (auto program : getOperation().getOps<rubato::sched::ProgramOp>())
      program.walk([&](rubato::sched::RunOp run) {
        if (failed(checkRun(run, symbols, buffers)))
          signalPassFailure();
      });
    markAllAnalysesPreserved();
  }

  /// Memory that somebody else may still read is not written: directly in front
  /// of a run stands a renew of every value that its segment writes.
  LogicalResult checkRun(rubato::sched::RunOp run, const SymbolTable &symbols,
                         const rubato::BufferTable &buffers) {
    llvm::DenseMap<StringAttr, bool> renewed;
    for (Operation *op = run->getPrevNode();
         isa_and_nonnull<rubato::sched::RenewOp>(op); op = op->getPrevNode()) {
      auto renew = cast<rubato::sched::RenewOp>(op);
      renewed[renew.getBufferAttr().getAttr()] |= renew.getKeep();
    }
    auto segment = symbols.lookup<rubato::sched::SegmentOp>(run.getSegment());
    auto bytesOf = [&](StringAttr name) -> std::optional<int64_t> {
      rubato::sched::BufferOp buffer = buffers.at(name);
      return buffer.isValue() ? std::optional<int64_t>(buffer.getBytes())
                              : std::nullopt;
    };
    for (auto [buffer, keep] : rubato::writtenValues(segment, bytesOf)) {
      auto found = renewed.find(buffer);
      if (found == renewed.end())
        return run.emitOpError("writes the value @")
               << buffer.getValue()
               << ", which others may hold: put a sched.renew in front of it";
      if (keep && !found->second)
        return run.emitOpError("needs what the value @")
               << buffer.getValue() << " holds: renew it with keep";
    }
    return success();
  }
};

} // namespace
