// sched-test-remove-events: shows that every event of a schedule is needed, and
// that the race proof notices when one is missing.
#include "rubato/Schedule/Passes.h"
#include "rubato/Schedule/SegmentOrder.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace rubato::sched;

namespace rubato {
#define GEN_PASS_DEF_SCHEDTESTREMOVEEVENTSPASS
#include "rubato/Schedule/Passes.h.inc"
} // namespace rubato

namespace {

struct Count {
  int64_t tried = 0, rejected = 0;
};

struct TestRemoveEvents
    : rubato::impl::SchedTestRemoveEventsPassBase<TestRemoveEvents> {
  void runOnOperation() override {
    buffers = rubato::collectBuffers(getOperation());
    for (auto segment : getOperation().getOps<SegmentOp>()) {
      auto violations = rubato::checkSegment(segment, buffers);
      if (!violations.empty()) {
        rubato::emitViolation(violations.front());
        return signalPassFailure();
      }
      for (auto wait : segment.getLine()->getOps<WaitOp>())
        tryWithout(segment, wait, "wait", waits);
      for (auto record : segment.getLine()->getOps<RecordOp>())
        tryWithout(segment, record, "record and its waits", records);
    }
    emitRemark(getOperation().getLoc())
        << waits.tried << " waits, " << waits.rejected << " rejected; "
        << records.tried << " records, " << records.rejected << " rejected";
    markAllAnalysesPreserved();
  }

  /// Proves a copy of `segment` without `op` and its users.
  void tryWithout(SegmentOp segment, Operation *op, StringRef what,
                  Count &count) {
    IRMapping mapping;
    OwningOpRef<Operation *> copy = segment->clone(mapping);
    Operation *removed = mapping.lookup(op);
    for (Operation *user : llvm::make_early_inc_range(removed->getUsers()))
      user->erase();
    removed->erase();

    auto violations =
        rubato::checkSegment(cast<SegmentOp>(copy.get()), buffers);
    ++count.tried;
    if (violations.empty()) {
      emitRemark(op->getLoc(), "accepted without this ")
          << what << ": other events imply it";
      return;
    }
    ++count.rejected;
    emitRemark(op->getLoc(), "rejected without this ")
        << what << ": " << violations.front().message;
  }

  rubato::BufferTable buffers;
  Count waits, records;
};

} // namespace
