// Writes segments: launches, collectives and the events between them.
#include "SegmentBuilder.h"

#include "rubato/Kernels/KernelFacts.h"
#include "rubato/Support/Stage.h"

using namespace mlir;
using namespace rubato;
using sched::Lane;

SegmentBuilder::SegmentBuilder(ModuleOp module, ProgramParts &parts,
                               const Placement &placement,
                               ArrayRef<BucketRange> buckets)
    : module(module), parts(parts), placement(placement), buckets(buckets) {
  flatType = cast<RankedTensorType>(parts.reduce.getValues()[0].getType());
  flatWidth = flatType.getElementTypeBitWidth() / 8;
}

/// A kernel as one of its launches uses it.
static func::FuncOp kernelOf(ModuleOp module, func::CallOp call) {
  return module.lookupSymbol<func::FuncOp>(call.getCallee());
}

/// Whether the variant of the call's kernel that starts from zero may stand in:
/// every accumulator it leaves out is written by the call, in place.
bool SegmentBuilder::startsFresh(func::CallOp call) const {
  func::FuncOp kernel = kernelOf(module, call);
  auto indices = kernel->getAttrOfType<DenseI64ArrayAttr>(kAccumulatorsAttr);
  return indices && llvm::all_of(indices.asArrayRef(), [&](int64_t index) {
           Address accumulator = placement.at(call.getOperand(index));
           return llvm::any_of(call.getResults(), [&](Value result) {
             return placement.at(result) == accumulator;
           });
         });
}

LogicalResult SegmentBuilder::verifyFresh(ArrayRef<func::CallOp> calls) const {
  unsigned flat = placement.at(parts.reduce.getValues()[0]).buffer;
  for (func::CallOp call : calls) {
    SmallVector<int64_t> left;
    if (startsFresh(call))
      llvm::append_range(
          left, kernelOf(module, call)
                    ->getAttrOfType<DenseI64ArrayAttr>(kAccumulatorsAttr)
                    .asArrayRef());
    for (auto [index, operand] : llvm::enumerate(call.getOperands()))
      if (placement.at(operand).buffer == flat &&
          !llvm::is_contained(left, static_cast<int64_t>(index)))
        return call.emitError("schedule: kernel ")
               << call.getCallee()
               << " reads an accumulator that nothing has cleared; this is a "
                  "bug of form-kernels";
  }
  return success();
}

void SegmentBuilder::launch(OpBuilder &b, func::CallOp call, bool fresh,
                            const BucketRange *bucket) {
  func::FuncOp kernel = kernelOf(module, call);
  SmallVector<Value> operands(call.getOperands());
  bool isFresh = fresh && startsFresh(call);
  if (isFresh) {
    auto indices = kernel->getAttrOfType<DenseI64ArrayAttr>(kAccumulatorsAttr);
    for (int64_t index : llvm::reverse(indices.asArrayRef()))
      operands.erase(operands.begin() + index);
    auto variant = kernel->getAttrOfType<FlatSymbolRefAttr>(kFreshAttr);
    kernel = module.lookupSymbol<func::FuncOp>(variant.getAttr());
  }
  auto accessed = [&](Value value) -> sched::RangeAttr {
    sched::RangeAttr whole = placement.range(value);
    if (!bucket || value.getType() != flatType)
      return whole;
    return sched::RangeAttr::get(b.getContext(), whole.getBuffer(),
                                 whole.getOffset() + bucket->offset * flatWidth,
                                 bucket->count * flatWidth);
  };
  SmallVector<Attribute> args, reads, writes;
  for (Value operand : operands) {
    args.push_back(placement.place(operand));
    reads.push_back(accessed(operand));
  }
  for (Value result : call.getResults()) {
    args.push_back(placement.place(result));
    writes.push_back(accessed(result));
  }
  int64_t lo = bucket ? bucket->offset : 0;
  int64_t hi = bucket ? lo + bucket->count : KernelFacts::of(kernel).split;
  auto op = sched::LaunchOp::create(
      b, call.getLoc(), Lane::Compute, kernel.getName(), lo, hi,
      b.getArrayAttr(args), b.getArrayAttr(reads), b.getArrayAttr(writes));
  if (auto label = call->getAttrOfType<StringAttr>(kLabelAttr))
    op->setAttr(kLabelAttr,
                isFresh ? b.getStringAttr(label.getValue() + ".fresh") : label);
}

void SegmentBuilder::buildPlain(StringRef name, ArrayRef<func::CallOp> calls,
                                bool fresh) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto segment = sched::SegmentOp::create(b, module.getLoc(), name);
  b.setInsertionPointToEnd(segment.getLine());
  for (func::CallOp call : calls)
    launch(b, call, fresh);
}

sched::TypedRangeAttr SegmentBuilder::typedRange(Value value, int64_t offset,
                                                 int64_t count) const {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t width = type.getElementTypeBitWidth() / 8;
  sched::RangeAttr whole = placement.range(value);
  return sched::TypedRangeAttr::get(value.getContext(), whole.getBuffer(),
                                    whole.getOffset() + offset * width,
                                    count * width, type.getElementType());
}

Value SegmentBuilder::collective(OpBuilder &b, unsigned bucket) {
  SmallVector<Attribute> ins, outs;
  for (auto [operand, result] :
       llvm::zip(parts.reduce.getValues(), parts.await.getValues())) {
    bool flat = operand.getType() == flatType;
    if (flat) {
      ins.push_back(
          typedRange(operand, buckets[bucket].offset, buckets[bucket].count));
      outs.push_back(
          typedRange(result, buckets[bucket].offset, buckets[bucket].count));
    } else if (bucket == 0) {
      // Counts ride with the first bucket: without them none could divide.
      ins.push_back(typedRange(operand, 0, 1));
      outs.push_back(typedRange(result, 0, 1));
    }
  }
  Location loc = parts.reduce.getLoc();
  Value ready = sched::RecordOp::create(
      b, loc, sched::EventType::get(b.getContext()), Lane::Compute);
  sched::WaitOp::create(b, loc, Lane::Comm, ready);
  sched::CollectiveOp::create(b, loc, Lane::Comm,
                              sched::CollectiveKind::AllReduce,
                              /*channel=*/0, /*seq=*/bucket, /*future=*/bucket,
                              b.getArrayAttr(ins), b.getArrayAttr(outs));
  return sched::RecordOp::create(b, loc, sched::EventType::get(b.getContext()),
                                 Lane::Comm);
}

unsigned SegmentBuilder::lastWriter(const BucketRange &bucket) const {
  sched::RangeAttr flat = placement.range(parts.reduce.getValues()[0]);
  int64_t from = flat.getOffset() + bucket.offset * flatWidth;
  int64_t to = from + bucket.count * flatWidth;
  unsigned last = 0;
  for (auto [i, call] : llvm::enumerate(parts.roundCalls))
    for (Value result : call.getResults()) {
      sched::RangeAttr range = placement.range(result);
      bool inside = range.getBuffer() == flat.getBuffer() &&
                    range.getOffset() < to &&
                    from < range.getOffset() + range.getSize();
      // The first bucket carries the small operands as well.
      bool small = bucket.offset == 0 &&
                   llvm::is_contained(parts.reduce.getValues(), result);
      if (inside || small)
        last = i;
    }
  return last;
}

bool SegmentBuilder::isFlat(func::CallOp call) const {
  KernelFacts facts = KernelFacts::of(kernelOf(module, call));
  return llvm::all_of(call.getResultTypes(),
                      [&](Type type) { return type == flatType; }) &&
         facts.indexByIndex && facts.split == flatType.getDimSize(0);
}

/// Whether the update may start bucket by bucket: everything that touches the
/// reduced vector works element by element.
bool SegmentBuilder::updatesByBucket() const {
  Value reduced = parts.await.getValues()[0];
  return llvm::all_of(parts.updateCalls, [&](func::CallOp call) {
    if (isFlat(call))
      return true;
    return llvm::none_of(call.getOperands(), [&](Value operand) {
      auto producer = operand.getDefiningOp<func::CallOp>();
      return operand == reduced || (producer && isFlat(producer));
    });
  });
}

void SegmentBuilder::buildRound(StringRef name, bool fresh) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto segment = sched::SegmentOp::create(b, module.getLoc(), name);
  b.setInsertionPointToEnd(segment.getLine());

  SmallVector<unsigned> trigger;
  for (const BucketRange &bucket : buckets) {
    // Collectives keep the order of the buckets.
    unsigned last = lastWriter(bucket);
    trigger.push_back(trigger.empty() ? last : std::max(trigger.back(), last));
  }
  SmallVector<Value> done;
  for (auto [i, call] : llvm::enumerate(parts.roundCalls)) {
    launch(b, call, fresh);
    while (done.size() < buckets.size() && trigger[done.size()] == i)
      done.push_back(collective(b, done.size()));
  }

  Location loc = parts.update.getLoc();
  bool byBucket = updatesByBucket();
  sched::WaitOp::create(b, loc, Lane::Compute, done[0]);
  if (!byBucket)
    for (Value event : ArrayRef<Value>(done).drop_front())
      sched::WaitOp::create(b, loc, Lane::Compute, event);
  for (func::CallOp call : parts.updateCalls)
    if (!byBucket || !isFlat(call))
      launch(b, call, false);
  if (!byBucket)
    return;
  for (auto [i, bucket] : llvm::enumerate(buckets)) {
    if (i > 0)
      sched::WaitOp::create(b, loc, Lane::Compute, done[i]);
    for (func::CallOp call : parts.updateCalls)
      if (isFlat(call))
        launch(b, call, false, &bucket);
  }
}
