// assign-lanes: orders the lanes of a segment by as few events as it needs.
#include "rubato/Schedule/Passes.h"
#include "rubato/Schedule/SegmentOrder.h"

#include <array>

namespace rubato {
#define GEN_PASS_DEF_ASSIGNLANES
#include "rubato/Schedule/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;
using namespace rubato::sched;

namespace {

constexpr unsigned numLanes = getMaxEnumValForLane() + 1;
using Clock = std::array<int64_t, numLanes>;

/// Clocks as in SegmentOrder.cpp: what of each lane an operation has seen.
class Orderer {
public:
  Orderer(SegmentOp segment, const BufferTable &buffers)
      : segment(segment), buffers(buffers) {}

  void run() {
    // Events are made anew; backwards, for waits use their records.
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(*segment.getLine())))
      if (isa<RecordOp, WaitOp>(op))
        op.erase();
    SmallVector<LaneOpInterface> line(
        segment.getLine()->getOps<LaneOpInterface>());
    clocks[index(Lane::Compute)][index(Lane::Compute)] = 1;
    for (LaneOpInterface op : line)
      place(op);
    join();
  }

private:
  struct Work {
    LaneOpInterface op;
    Clock clock; // at its end
  };
  static unsigned index(Lane lane) { return static_cast<unsigned>(lane); }

  void place(LaneOpInterface op);
  /// Lets the segment end on compute after what runs on other lanes.
  void join();
  /// Lets `op` come after what its lane has not seen of another; without `work`
  /// after what ran before the segment.
  void order(LaneOpInterface op, Lane after, Operation *work,
             const Clock &clock);

  SegmentOp segment;
  const BufferTable &buffers;
  SmallVector<Work> works;
  std::array<Clock, numLanes> clocks = {};
};

} // namespace

void Orderer::order(LaneOpInterface op, Lane after, Operation *work,
                    const Clock &clock) {
  OpBuilder b(op);
  if (work)
    b.setInsertionPointAfter(work);
  else
    b.setInsertionPointToStart(segment.getLine());
  Value event =
      RecordOp::create(b, op.getLoc(), EventType::get(op.getContext()), after);
  b.setInsertionPoint(op);
  WaitOp::create(b, op.getLoc(), op.getLane(), event);
  for (auto [mine, seen] : llvm::zip_equal(clocks[index(op.getLane())], clock))
    mine = std::max(mine, seen);
}

void Orderer::place(LaneOpInterface op) {
  Clock &mine = clocks[index(op.getLane())];
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    if (lane == index(op.getLane()))
      continue;
    // The latest that it must follow; those before come with it. What is ready
    // is read for longer than any event says.
    for (Work &work : llvm::reverse(works))
      if (index(work.op.getLane()) == lane && !isa<ReadyOp>(*work.op) &&
          mine[lane] < work.clock[lane] && conflict(work.op, op, buffers)) {
        order(op, work.op.getLane(), work.op, work.clock);
        break;
      }
  }
  // Nothing on another lane runs ahead of what ran before the segment.
  if (op.getLane() != Lane::Compute && mine[index(Lane::Compute)] == 0) {
    Clock begin = {};
    begin[index(Lane::Compute)] = 1;
    order(op, Lane::Compute, nullptr, begin);
  }
  ++mine[index(op.getLane())];
  works.push_back({op, mine});
}

void Orderer::join() {
  const Clock &end = clocks[index(Lane::Compute)];
  for (unsigned lane = 0; lane < numLanes; ++lane)
    for (Work &work : llvm::reverse(works)) {
      if (index(work.op.getLane()) != lane || isa<ReadyOp>(*work.op))
        continue;
      if (end[lane] < work.clock[lane]) {
        OpBuilder b(segment.getContext());
        b.setInsertionPointAfter(work.op);
        Value event = RecordOp::create(
            b, work.op.getLoc(), EventType::get(b.getContext()), Lane(lane));
        b.setInsertionPointToEnd(segment.getLine());
        WaitOp::create(b, work.op.getLoc(), Lane::Compute, event);
      }
      break; // those before it come with it
    }
}

namespace {

struct AssignLanes : rubato::impl::AssignLanesBase<AssignLanes> {
  void runOnOperation() override {
    BufferTable buffers = collectBuffers(getOperation());
    for (auto segment : getOperation().getOps<SegmentOp>())
      Orderer(segment, buffers).run();
  }
};

} // namespace
