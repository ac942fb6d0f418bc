// A segment as a function: one call of the runtime per operation.
#include "HostCalls.h"

#include "rubato/Support/Stage.h"
#include "runtime/abi/rubato_abi.h"

#include <map>

using namespace mlir;
using namespace rubato;
using namespace rubato::sched;

// The dialect's enums are the ABI's, so their values are passed as they are.
static_assert(int(ArenaRegion::Private) == RB_PRIVATE &&
              int(ArenaRegion::Scratch) == RB_SCRATCH &&
              int(ArenaRegion::Host) == RB_HOST &&
              int(ArenaRegion::Value) == RB_FIRST_VALUE);
static_assert(int(Lane::Compute) == RB_COMPUTE && int(Lane::Comm) == RB_COMM);

namespace {

class SegmentLowering {
public:
  SegmentLowering(SegmentOp segment, const BufferTable &buffers,
                  int32_t &nextEvent, AbiBuilder &abi)
      : segment(segment), buffers(buffers), nextEvent(nextEvent), abi(abi),
        builder(segment.getContext()) {}

  void run();

private:
  void prologue();
  void begin();
  void lower(LaunchOp op);
  void lower(ReadyOp op);
  Value share(Location loc, std::optional<APFloat> share, double otherwise);
  void lower(ArriveOp op);
  void lower(RecordOp op);
  void lower(WaitOp op);

  using Row = std::array<int64_t, 4>;
  SmallVector<Row> accessesOf(LaunchOp op);

  BufferOp bufferOf(FlatSymbolRefAttr name) {
    return buffers.at(name.getAttr());
  }
  Value number(Location loc, Type type, int64_t value) {
    return abi.constant(builder, loc, type, value);
  }
  template <typename Enum> Value number(Location loc, Enum value) {
    return number(loc, abi.i32, static_cast<int64_t>(value));
  }
  void call(Location loc, StringRef callee, ValueRange args) {
    abi.callChecked(builder, loc, callee, args, fail);
  }
  /// Names of an operation's constants: "accesses.round.3".
  std::string constantName(StringRef what) {
    return (what + "." + segment.getSymName() + "." + Twine(index)).str();
  }

  SegmentOp segment;
  const BufferTable &buffers;
  int32_t &nextEvent;
  AbiBuilder &abi;
  OpBuilder builder;
  Block *fail = nullptr;
  Value ctx, args;
  std::map<int64_t, Value> bases; // of the regions, by number
  DenseMap<Value, int32_t> events;
  int64_t index = 0;
};

} // namespace

void SegmentLowering::run() {
  Location loc = segment.getLoc();
  LLVM::LLVMFuncOp function =
      abi.function(loc, segmentSymbol(segment.getSymName()));
  ctx = function.getArgument(0);
  builder.setInsertionPointToStart(&function.getBody().front());
  fail = abi.failBlock(function);
  prologue();
  for (Operation &op : *segment.getLine()) {
    if (auto launch = dyn_cast<LaunchOp>(op))
      lower(launch);
    else if (auto ready = dyn_cast<ReadyOp>(op))
      lower(ready);
    else if (auto arrive = dyn_cast<ArriveOp>(op))
      lower(arrive);
    else if (auto record = dyn_cast<RecordOp>(op))
      lower(record);
    else
      lower(cast<WaitOp>(op));
    ++index;
  }
  call(loc, "rb_segment_end", ctx);
  LLVM::ReturnOp::create(builder, loc, number(loc, abi.i32, RB_OK));
}

/// Room for the arguments of the largest launch, and the bases of the regions.
void SegmentLowering::prologue() {
  Location loc = segment.getLoc();
  size_t most = 0;
  for (auto launch : segment.getLine()->getOps<LaunchOp>()) {
    most = std::max(most, launch.getArgs().size());
    for (auto place : launch.getArgs().getAsRange<PlaceAttr>())
      bases[bufferOf(place.getBuffer()).getRegionNumber()] = {};
  }
  if (most)
    args = abi.stack(builder, loc, abi.ptr, most);
  begin();
  if (most) {
    Value regions = abi.call(builder, loc, "rb_regions", ctx);
    for (auto &[region, base] : bases) {
      Value at = LLVM::GEPOp::create(
          builder, loc, abi.ptr, abi.ptr, regions,
          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(region)});
      base = LLVM::LoadOp::create(builder, loc, abi.ptr, at);
    }
  }
}

/// A device may have all of the segment done already: then nothing is left.
void SegmentLowering::begin() {
  Location loc = segment.getLoc();
  SmallVector<int32_t> values;
  for (const auto &[region, base] : bases)
    if (region >= RB_FIRST_VALUE)
      values.push_back(static_cast<int32_t>(region));
  Block *line = segment.getLine();
  Value info = abi.segment(builder, loc, segment.getSymName(), values,
                           llvm::range_size(line->getOps<LaunchOp>()));
  Value replayed = abi.stack(builder, loc, abi.i32, 1);
  call(loc, "rb_segment_begin", {ctx, info, replayed});
  Value flag = LLVM::LoadOp::create(builder, loc, abi.i32, replayed);
  Value done = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, flag,
                                    number(loc, abi.i32, 0));
  Block *here = builder.getInsertionBlock();
  Block *rest = here->splitBlock(builder.getInsertionPoint());
  builder.setInsertionPointToEnd(here);
  // The way out returns the status it is given: here, success.
  LLVM::CondBrOp::create(builder, loc, done, fail,
                         ValueRange{number(loc, abi.i32, RB_OK)}, rest,
                         ValueRange{});
  builder.setInsertionPointToStart(rest);
}

void SegmentLowering::lower(LaunchOp op) {
  Location loc = op.getLoc();
  for (auto [slot, place] :
       llvm::enumerate(op.getArgs().getAsRange<PlaceAttr>())) {
    BufferOp buffer = bufferOf(place.getBuffer());
    Value address = LLVM::GEPOp::create(
        builder, loc, abi.ptr, builder.getI8Type(),
        bases.at(buffer.getRegionNumber()),
        number(loc, abi.i64, buffer.getStart() + place.getOffset()));
    Value to =
        LLVM::GEPOp::create(builder, loc, abi.ptr, abi.ptr, args,
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(slot)});
    LLVM::StoreOp::create(builder, loc, address, to);
  }
  auto label = op->getAttrOfType<StringAttr>(kLabelAttr);
  Value kernel = abi.kernel(
      builder, loc, abi.symbols.lookup<LLVM::LLVMFuncOp>(op.getKernel()),
      label ? label.getValue() : op.getKernel(),
      static_cast<int64_t>(op.getArgs().size()));
  SmallVector<Row> rows = accessesOf(op);
  Value accesses = abi.records(builder, loc, constantName("accesses"), rows);
  Value argArray = op.getArgs().empty() ? abi.null(builder, loc) : args;
  call(loc, "rb_launch",
       {ctx, number(loc, op.getLane()), kernel, argArray,
        number(loc, abi.i64, op.getLo()), number(loc, abi.i64, op.getHi()),
        accesses, number(loc, abi.i64, rows.size())});
}

/// `rb_access` rows; a range that is both read and written is one row.
SmallVector<SegmentLowering::Row> SegmentLowering::accessesOf(LaunchOp op) {
  llvm::MapVector<RangeAttr, int64_t> modes;
  for (auto range : op.getReads().getAsRange<RangeAttr>())
    modes[range] |= RB_READ;
  for (auto range : op.getWrites().getAsRange<RangeAttr>())
    modes[range] |= RB_WRITE;
  SmallVector<Row> rows;
  for (auto [range, mode] : modes) {
    BufferOp buffer = bufferOf(range.getBuffer());
    rows.push_back({buffer.getRegionNumber(), mode,
                    buffer.getStart() + range.getOffset(), range.getSize()});
  }
  return rows;
}

/// A share of the segment's work, or what is meant where nobody says.
Value SegmentLowering::share(Location loc, std::optional<APFloat> share,
                             double otherwise) {
  return LLVM::ConstantOp::create(
      builder, loc, builder.getF64Type(),
      builder.getF64FloatAttr(share ? share->convertToDouble() : otherwise));
}

void SegmentLowering::lower(ReadyOp op) {
  Location loc = op.getLoc();
  Value operand = abi.records(builder, loc, constantName("operand"),
                              rangeRows(op.getIns(), buffers));
  call(loc, "rb_ready",
       {ctx, number(loc, op.getLane()), number(loc, abi.i32, op.getChannel()),
        operand, number(loc, abi.i64, op.getFrom()),
        number(loc, abi.i64, op.getTo()), share(loc, op.getDone(), 1)});
}

void SegmentLowering::lower(ArriveOp op) {
  Location loc = op.getLoc();
  TypedRangeAttr range = op.getArriving();
  int64_t value = bufferOf(range.getBuffer()).getRegionNumber();
  call(loc, "rb_arrive",
       {ctx, number(loc, op.getLane()), number(loc, abi.i32, value),
        number(loc, abi.i64, range.getOffset() + range.getSize()),
        share(loc, op.getDone(), 0)});
}

void SegmentLowering::lower(RecordOp op) {
  events[op.getEvent()] = nextEvent;
  call(op.getLoc(), "rb_record",
       {ctx, number(op.getLoc(), op.getLane()),
        number(op.getLoc(), abi.i32, nextEvent)});
  ++nextEvent;
}

void SegmentLowering::lower(WaitOp op) {
  call(op.getLoc(), "rb_wait",
       {ctx, number(op.getLoc(), op.getLane()),
        number(op.getLoc(), abi.i32, events.at(op.getEvent()))});
}

void rubato::lowerSegment(SegmentOp segment, const BufferTable &buffers,
                          int32_t &nextEvent, AbiBuilder &abi) {
  SegmentLowering(segment, buffers, nextEvent, abi).run();
}
