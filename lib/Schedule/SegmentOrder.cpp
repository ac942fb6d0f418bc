// Vector clocks over the lanes of a segment.
//
// Every operation on a lane ticks that lane's component of the lane's clock.
// A record keeps the clock of its lane, a wait raises its lane's clock to what
// was kept. Then a happens before b exactly if b's clock has seen a's tick.
#include "rubato/Schedule/SegmentOrder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <array>

using namespace mlir;
using namespace rubato;
using namespace rubato::sched;

namespace {

constexpr unsigned numLanes = getMaxEnumValForLane() + 1;
using Clock = std::array<int64_t, numLanes>;

/// A declared access and the bytes of the arena it means.
struct Bytes {
  RangeAttr range;
  bool isWrite;
  ArenaRegion region;
  int64_t number; // of the region; values have one each
  int64_t begin, end;

  bool overlaps(const Bytes &other) const {
    return number == other.number && begin < other.end && other.begin < end;
  }
};

unsigned indexOf(Lane lane) { return static_cast<unsigned>(lane); }

/// A launch, or a part of a reduction, with the clock at which it ends.
struct Work {
  Operation *op;
  Lane lane;
  std::string label;
  Clock clock;
  SmallVector<Bytes, 4> bytes;

  bool happensBefore(const Work &later) const {
    return later.clock[indexOf(lane)] >= clock[indexOf(lane)];
  }
  /// "@fc1.forward on compute"
  std::string name() const { return label + " on " + laneName(); }
  std::string laneName() const { return stringifyLane(lane).str(); }
};

class SegmentChecker {
public:
  SegmentChecker(SegmentOp segment, const BufferTable &buffers)
      : segment(segment), buffers(buffers) {}

  SmallVector<Violation> run() {
    runClocks();
    checkStart();
    checkRaces();
    checkEnd();
    return std::move(violations);
  }

private:
  void runClocks();
  void checkStart();
  void checkRaces();
  void checkEnd();
  void reportRace(const Work &first, const Work &second);
  std::optional<std::pair<Bytes, Bytes>> findConflict(const Work &first,
                                                      const Work &second);

  SegmentOp segment;
  const BufferTable &buffers;
  /// Launches and parts of reductions in the order of the text.
  SmallVector<Work> works;
  /// Clocks of the lanes at the end of the text.
  std::array<Clock, numLanes> lanes = {};
  SmallVector<Violation> violations;
};

const unsigned compute = indexOf(Lane::Compute);

std::string text(RangeAttr range) {
  return ("@" + range.getBuffer().getValue() + "[" + Twine(range.getOffset()) +
          ", " + Twine(range.getSize()) + "]")
      .str();
}

} // namespace

void SegmentChecker::runClocks() {
  llvm::DenseMap<Value, Clock> recorded;
  // What ran before the segment counts as the first work of compute.
  lanes[compute][compute] = 1;
  for (auto op : segment.getLine()->getOps<LaneOpInterface>()) {
    unsigned lane = indexOf(op.getLane());
    Clock &clock = lanes[lane];
    if (auto record = dyn_cast<RecordOp>(*op)) {
      recorded[record.getEvent()] = clock;
      continue;
    }
    if (auto wait = dyn_cast<WaitOp>(*op)) {
      const Clock &event = recorded.at(wait.getEvent());
      for (auto [mine, seen] : llvm::zip_equal(clock, event))
        mine = std::max(mine, seen);
      continue;
    }
    ++clock[lane];
    Work work{op, op.getLane(), op.getLabel(), clock, {}};
    SmallVector<Access> accesses;
    op.getAccesses(accesses);
    for (auto [range, isWrite] : accesses) {
      BufferOp buffer = buffers.at(range.getBuffer().getAttr());
      int64_t begin = buffer.getStart() + range.getOffset();
      work.bytes.push_back({range, isWrite, buffer.getRegion(),
                            buffer.getRegionNumber(), begin,
                            begin + range.getSize()});
    }
    works.push_back(std::move(work));
  }
}

void SegmentChecker::checkStart() {
  std::array<bool, numLanes> reported = {};
  for (const Work &work : works) {
    if (work.clock[compute] > 0 || reported[indexOf(work.lane)])
      continue;
    reported[indexOf(work.lane)] = true;
    violations.push_back(
        {work.op, work.name() +
                      " is not ordered after what ran before the "
                      "segment: record on compute and wait on " +
                      work.laneName() + " before " + work.label});
  }
}

std::optional<std::pair<Bytes, Bytes>>
SegmentChecker::findConflict(const Work &first, const Work &second) {
  for (const Bytes &a : first.bytes)
    for (const Bytes &b : second.bytes)
      if ((a.isWrite || b.isWrite) && a.overlaps(b))
        return std::pair(a, b);
  return std::nullopt;
}

void SegmentChecker::checkRaces() {
  for (auto [index, second] : llvm::enumerate(works))
    for (const Work &first : ArrayRef(works).take_front(index))
      if (!first.happensBefore(second))
        reportRace(first, second);
}

void SegmentChecker::reportRace(const Work &first, const Work &second) {
  auto conflict = findConflict(first, second);
  if (!conflict)
    return;
  const auto &[a, b] = *conflict;
  auto verb = [](const Bytes &bytes) {
    return bytes.isWrite ? " writes " : " reads ";
  };
  std::string message, note;
  llvm::raw_string_ostream(message)
      << first.name() << verb(a) << text(a.range) << " while " << second.name()
      << verb(b) << text(b.range) << ", and no event orders them: record on "
      << first.laneName() << " after " << first.label << " and wait on "
      << second.laneName() << " before " << second.label;
  llvm::raw_string_ostream(note)
      << second.label << " is here; both touch bytes ["
      << std::max(a.begin, b.begin) << ", " << std::min(a.end, b.end)
      << ") of the " << stringifyArenaRegion(a.region) << " region";
  violations.push_back({first.op, message, second.op, note});
}

void SegmentChecker::checkEnd() {
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    // The last work of the lane: joining it joins all before it. What is ready
    // stays under way until its reduction is awaited; that nobody changes it
    // meanwhile is what sched-verify-programs proves.
    auto last = llvm::find_if(llvm::reverse(works), [&](const Work &work) {
      return indexOf(work.lane) == lane && !isa<ReadyOp>(work.op);
    });
    if (last == works.rend() || lanes[compute][lane] >= last->clock[lane])
      continue;
    violations.push_back({last->op, last->name() +
                                        " may still run when the segment ends: "
                                        "record on " +
                                        last->laneName() + " after " +
                                        last->label + " and wait on compute"});
  }
}

bool rubato::conflict(LaneOpInterface first, LaneOpInterface second,
                      const BufferTable &buffers) {
  SmallVector<Access> a, b;
  first.getAccesses(a);
  second.getAccesses(b);
  auto bytes = [&](RangeAttr range) {
    BufferOp buffer = buffers.at(range.getBuffer().getAttr());
    return std::pair(buffer.getRegionNumber(),
                     int64_t(buffer.getStart() + range.getOffset()));
  };
  for (const Access &x : a)
    for (const Access &y : b) {
      auto [region, begin] = bytes(x.range);
      auto [other, from] = bytes(y.range);
      if ((x.isWrite || y.isWrite) && region == other &&
          begin < from + y.range.getSize() && from < begin + x.range.getSize())
        return true;
    }
  return false;
}

BufferTable rubato::collectBuffers(ModuleOp module) {
  BufferTable buffers;
  for (auto buffer : module.getOps<BufferOp>())
    buffers[buffer.getSymNameAttr()] = buffer;
  return buffers;
}

SmallVector<Violation> rubato::checkSegment(SegmentOp segment,
                                            const BufferTable &buffers) {
  return SegmentChecker(segment, buffers).run();
}

void rubato::emitViolation(const Violation &violation) {
  InFlightDiagnostic diag = violation.op->emitError(violation.message);
  if (violation.other)
    diag.attachNote(violation.other->getLoc()) << violation.note;
}
