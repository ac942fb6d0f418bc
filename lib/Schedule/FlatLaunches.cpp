// Launches that compute a flat vector index by index.
#include "FlatLaunches.h"

#include "rubato/Kernels/KernelFacts.h"

using namespace mlir;
using namespace rubato;

static func::FuncOp kernelOf(sched::LaunchOp launch) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      launch, launch.getKernelAttr());
}

static int64_t elementsOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getNumElements() : 1;
}

bool rubato::isFlat(sched::LaunchOp launch, int64_t elements) {
  func::FuncOp kernel = kernelOf(launch);
  if (!kernel)
    return false;
  KernelFacts facts = KernelFacts::of(kernel);
  return facts.indexByIndex && facts.split == elements && launch.getLo() == 0 &&
         int64_t(launch.getHi()) == elements &&
         // Accesses stand in the order of operands and results.
         kernel.getNumArguments() == launch.getReads().size() &&
         kernel.getNumResults() == launch.getWrites().size() &&
         llvm::all_of(kernel.getResultTypes(),
                      [&](Type type) { return elementsOf(type) == elements; });
}

/// Whether two ranges share bytes: scratch buffers of different names may.
static bool overlap(sched::RangeAttr a, sched::RangeAttr b,
                    const BufferTable &buffers) {
  auto bytes = [&](sched::RangeAttr range) {
    sched::BufferOp buffer = buffers.at(range.getBuffer().getAttr());
    return std::pair(buffer.getRegionNumber(),
                     int64_t(buffer.getStart() + range.getOffset()));
  };
  auto [region, begin] = bytes(a);
  auto [other, from] = bytes(b);
  return region == other && begin < from + b.getSize() &&
         from < begin + a.getSize();
}

/// Whether a launch of the row reads or writes what it, or another, writes,
/// otherwise than at the same index: whole, or from another place on. Cut into
/// parts, one part would then meet what another part has left.
static bool touchesAcross(ArrayRef<sched::LaunchOp> row, int64_t elements,
                          const BufferTable &buffers) {
  auto across = [&](sched::RangeAttr touched, Type type,
                    sched::RangeAttr written) {
    return overlap(touched, written, buffers) &&
           (elementsOf(type) != elements || touched != written);
  };
  for (sched::LaunchOp launch : row) {
    func::FuncOp kernel = kernelOf(launch);
    for (sched::LaunchOp writer : row)
      for (auto written : writer.getWrites().getAsRange<sched::RangeAttr>()) {
        for (auto [type, read] :
             llvm::zip(kernel.getArgumentTypes(),
                       launch.getReads().getAsRange<sched::RangeAttr>()))
          if (across(read, type, written))
            return true;
        for (auto [type, other] :
             llvm::zip(kernel.getResultTypes(),
                       launch.getWrites().getAsRange<sched::RangeAttr>()))
          if (across(other, type, written))
            return true;
      }
  }
  return false;
}

void rubato::gatherFlat(sched::SegmentOp segment, int64_t elements,
                        const BufferTable &buffers) {
  SmallVector<sched::LaunchOp> launches(
      segment.getLine()->getOps<sched::LaunchOp>());
  for (sched::LaunchOp launch : launches) {
    if (isFlat(launch, elements))
      continue;
    // Up, over the flat ones in front of it.
    while (auto before =
               dyn_cast_or_null<sched::LaunchOp>(launch->getPrevNode())) {
      if (!isFlat(before, elements) || conflict(before, launch, buffers))
        break;
      launch->moveBefore(before);
    }
  }
}

sched::LaunchOp rubato::flatEnd(sched::SegmentOp segment, int64_t elements,
                                const BufferTable &buffers) {
  SmallVector<sched::LaunchOp> row;
  for (Operation &op : llvm::reverse(*segment.getLine())) {
    auto launch = dyn_cast<sched::LaunchOp>(op);
    if (!launch || !isFlat(launch, elements))
      break;
    row.push_back(launch);
    if (touchesAcross(row, elements, buffers)) {
      row.pop_back();
      break;
    }
  }
  return row.empty() ? sched::LaunchOp() : row.back();
}

/// The part of a launch that computes a bucket.
static void launchPart(OpBuilder &b, sched::LaunchOp whole, int64_t elements,
                       const BucketRange &bucket) {
  func::FuncOp kernel = kernelOf(whole);
  auto part = [&](sched::RangeAttr range, Type type) -> Attribute {
    if (elementsOf(type) != elements)
      return range;
    int64_t width = range.getSize() / elements;
    return sched::RangeAttr::get(b.getContext(), range.getBuffer(),
                                 range.getOffset() + bucket.offset * width,
                                 bucket.count * width);
  };
  auto parts = [&](ArrayAttr ranges, TypeRange types) {
    SmallVector<Attribute> result;
    for (auto [range, type] :
         llvm::zip_equal(ranges.getAsRange<sched::RangeAttr>(), types))
      result.push_back(part(range, type));
    return b.getArrayAttr(result);
  };
  auto launch = cast<sched::LaunchOp>(b.clone(*whole));
  launch.setLo(bucket.offset);
  launch.setHi(bucket.offset + bucket.count);
  launch.setReadsAttr(parts(whole.getReads(), kernel.getArgumentTypes()));
  launch.setWritesAttr(parts(whole.getWrites(), kernel.getResultTypes()));
}

void rubato::cutByBucket(
    sched::LaunchOp first, int64_t elements, ArrayRef<BucketRange> buckets,
    function_ref<void(OpBuilder &, unsigned bucket, bool after)> around) {
  SmallVector<sched::LaunchOp> row;
  for (Operation *op = first; op; op = op->getNextNode())
    row.push_back(cast<sched::LaunchOp>(op));
  OpBuilder b(first);
  for (auto [i, bucket] : llvm::enumerate(buckets)) {
    around(b, i, /*after=*/false);
    for (sched::LaunchOp launch : row)
      launchPart(b, launch, elements, bucket);
    around(b, i, /*after=*/true);
  }
  for (sched::LaunchOp launch : row)
    launch.erase();
}
