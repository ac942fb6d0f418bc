// overlap-reductions: parts of an operand leave while the rest is computed, and
// parts of a sum are used while the rest arrives.
#include "FlatLaunches.h"
#include "LaunchCost.h"
#include "Producers.h"

#include "rubato/Schedule/Passes.h"
#include "rubato/Support/Stage.h"
#include "rubato/Target/TargetModel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace rubato {
#define GEN_PASS_DEF_OVERLAPREDUCTIONS
#include "rubato/Schedule/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;

static constexpr StringLiteral kWhole = "whole: ";

namespace {

/// The reductions of one module.
class Overlap {
public:
  Overlap(ModuleOp module, int64_t closeAt)
      : module(module), symbols(module), buffers(collectBuffers(module)),
        closeAt(closeAt) {}

  void run() {
    SmallVector<sched::StartOp> starts;
    module.walk([&](sched::StartOp start) {
      if (start.getKind() == sched::StartKind::AllReduce)
        starts.push_back(start);
    });
    for (sched::StartOp start : starts) {
      note(start, overlapStart(start));
      for (Operation *user : start.getFuture().getUsers())
        if (auto await = dyn_cast<sched::AwaitOp>(user))
          note(await, await->getBlock() == start->getBlock()
                          ? overlapAwait(await)
                          : (kWhole + "it is awaited in another block").str());
    }
    for (auto segment : module.getOps<sched::SegmentOp>())
      shareWork(segment);
  }

private:
  bool runsOnce(sched::SegmentOp segment) {
    auto runs = SymbolTable::getSymbolUses(segment.getOperation(), module);
    return runs && llvm::hasSingleElement(*runs);
  }
  /// What became of a reduction, or what stopped its better form.
  void note(Operation *op, const std::string &text) {
    op->setAttr(kOverlapAttr, StringAttr::get(op->getContext(), text));
  }

  std::string overlapStart(sched::StartOp start);
  std::string overlapAwait(sched::AwaitOp await);
  SmallVector<BucketRange> bucketsOf(sched::TypedRangeAttr vector);

  ModuleOp module;
  SymbolTable symbols;
  BufferTable buffers;
  int64_t closeAt;
};

struct OverlapReductions
    : rubato::impl::OverlapReductionsBase<OverlapReductions> {
  using OverlapReductionsBase::OverlapReductionsBase;

  void runOnOperation() override {
    const TargetModel *model =
        TargetModel::findOrReport(target, getOperation());
    if (!model)
      return signalPassFailure();
    Overlap(getOperation(), bucketBytes ? bucketBytes : model->bucketBytes())
        .run();
  }
};

} // namespace

/// Buckets follow the slots of the model; a vector that is none of the
/// model's is no list of slots.
SmallVector<BucketRange> Overlap::bucketsOf(sched::TypedRangeAttr vector) {
  for (auto layout : module.getOps<nn::LayoutOp>())
    if (int64_t(layout.getSize()) == vector.getCount())
      return cutBuckets(layout, closeAt);
  return {};
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Says behind the last launch that writes to a bucket that it is final; false
/// if that is the last launch of the segment for every bucket.
static bool insertReady(sched::SegmentOp segment, uint32_t channel,
                        sched::TypedRangeAttr operand,
                        ArrayRef<BucketRange> buckets,
                        const BufferTable &buffers) {
  int64_t width = sched::bytesOf(operand.getType());
  auto ready = [&](OpBuilder &b, const BucketRange &bucket) {
    sched::ReadyOp::create(
        b, segment.getLoc(), sched::Lane::Comm, channel, bucket.offset * width,
        (bucket.offset + bucket.count) * width, b.getArrayAttr(operand));
  };
  // One launch that writes all of it can be cut itself.
  if (sched::LaunchOp first = flatEnd(segment, operand.getCount(), buffers)) {
    bool isWritten = false, isWrittenBefore = false;
    for (Operation *op = first; op; op = op->getNextNode())
      isWritten |= writesTo(cast<sched::LaunchOp>(op), operand.getBuffer());
    for (Operation *op = first->getPrevNode(); op; op = op->getPrevNode())
      if (auto launch = dyn_cast<sched::LaunchOp>(op))
        isWrittenBefore |= writesTo(launch, operand.getBuffer());
    if (isWritten && !isWrittenBefore) {
      cutByBucket(first, operand.getCount(), buckets,
                  [&](OpBuilder &b, unsigned bucket, bool after) {
                    if (after)
                      ready(b, buckets[bucket]);
                  });
      return true;
    }
  }
  SmallVector<sched::LaunchOp> launches(
      segment.getLine()->getOps<sched::LaunchOp>());
  SmallVector<size_t> behind;
  for (const BucketRange &bucket : buckets) {
    // Buckets leave in order.
    size_t last = behind.empty() ? 0 : behind.back();
    int64_t begin = operand.getOffset() + bucket.offset * width;
    int64_t end = begin + bucket.count * width;
    for (auto [i, launch] : llvm::enumerate(launches))
      for (auto range : launch.getWrites().getAsRange<sched::RangeAttr>())
        if (range.getBuffer() == operand.getBuffer() &&
            range.getOffset() < end &&
            begin < range.getOffset() + range.getSize())
          last = std::max(last, i);
    behind.push_back(last);
  }
  if (behind.front() + 1 == launches.size())
    return false;
  for (auto [bucket, last] : llvm::zip_equal(buckets, behind)) {
    // Those behind one launch keep their order.
    Operation *at = launches[last];
    while (isa_and_nonnull<sched::ReadyOp>(at->getNextNode()))
      at = at->getNextNode();
    OpBuilder b(segment.getContext());
    b.setInsertionPointAfter(at);
    ready(b, bucket);
  }
  return true;
}

/// Runs a copy of the segment where the run is the last of its loop.
static void runLast(Producer producer, sched::SegmentOp segment,
                    sched::SegmentOp last) {
  sched::RunOp run = producer.run;
  OpBuilder b(run);
  Location loc = run.getLoc();
  Value next = arith::AddIOp::create(b, loc, producer.loop.getInductionVar(),
                                     producer.loop.getStep());
  Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, next,
                                       producer.loop.getUpperBound());
  // The renews belong to the runs: they stand directly in front of them.
  SmallVector<Operation *> renews;
  for (Operation *op = run->getPrevNode(); op; op = op->getPrevNode()) {
    if (op == isLast.getDefiningOp() || op == next.getDefiningOp())
      continue;
    if (!isa<sched::RenewOp>(op))
      break;
    renews.push_back(op);
  }
  auto branch = scf::IfOp::create(b, loc, isLast, /*withElseRegion=*/true);
  for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
    OpBuilder inside = OpBuilder::atBlockBegin(block);
    for (Operation *renew : llvm::reverse(renews))
      inside.clone(*renew);
    sched::RunOp::create(inside, loc,
                         block == branch.thenBlock() ? last.getSymName()
                                                     : segment.getSymName());
  }
  for (Operation *renew : renews)
    renew->erase();
  run.erase();
}

std::string Overlap::overlapStart(sched::StartOp start) {
  if (start.getIns().empty())
    return (kWhole + "it has no operands").str();
  auto operand = cast<sched::TypedRangeAttr>(start.getIns()[0]);
  auto buffer = symbols.lookup<sched::BufferOp>(operand.getBuffer().getValue());
  if (!buffer.isValue() || operand.getOffset() != 0 ||
      operand.getSize() != int64_t(buffer.getBytes()))
    return (kWhole + "its first operand is no value of its own").str();
  SmallVector<BucketRange> buckets = bucketsOf(operand);
  if (buckets.size() < 2)
    return (kWhole + "its first operand cannot be cut").str();
  Producers producers = findProducers(start, operand.getBuffer(), symbols);
  if (producers.runs.empty())
    return (kWhole + producers.obstacle).str();
  SmallVector<std::string> names;
  for (Producer &producer : producers.runs) {
    auto segment = symbols.lookup<sched::SegmentOp>(producer.run.getSegment());
    // A loop runs the segment as it is, too, and so do others.
    sched::SegmentOp early = segment;
    if (llvm::any_of(segment.getLine()->getOps<sched::ReadyOp>(),
                     [&](sched::ReadyOp ready) {
                       return ready.getChannel() == start.getChannel();
                     }))
      return (kWhole + "@" + segment.getSymName() +
              " says already what is ready")
          .str();
    if (producer.loop || !runsOnce(segment)) {
      early = segment.clone();
      early.setSymName((segment.getSymName() + ".last").str());
      symbols.insert(early, std::next(segment->getIterator()));
    }
    if (!insertReady(early, start.getChannel(), operand, buckets, buffers)) {
      if (early != segment)
        symbols.erase(early);
      continue;
    }
    names.push_back(("@" + early.getSymName()).str());
    if (producer.loop)
      runLast(producer, segment, early);
    else
      producer.run.setSegment(early.getSymName());
  }
  if (names.empty())
    return (kWhole + "the last launch in front of it writes all of it").str();
  return (Twine(buckets.size()) + " buckets, from " +
          llvm::join(names, " and ") + " on")
      .str();
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

std::string Overlap::overlapAwait(sched::AwaitOp await) {
  if (await.getOuts().empty())
    return (kWhole + "it brings nothing").str();
  auto sum = cast<sched::TypedRangeAttr>(await.getOuts()[0]);
  auto buffer = symbols.lookup<sched::BufferOp>(sum.getBuffer().getValue());
  SmallVector<BucketRange> buckets = bucketsOf(sum);
  if (!buffer.isValue() || sum.getSize() != int64_t(buffer.getBytes()) ||
      buckets.size() < 2)
    return (kWhole + "its first value cannot be cut").str();
  // The first that touches the sum must be a run that certainly comes, and
  // nothing in between may await something else.
  Operation *user = await->getNextNode();
  for (; user && !mentions(user, sum.getBuffer(), symbols);
       user = user->getNextNode())
    if (user->walk([](sched::AwaitOp) { return WalkResult::interrupt(); })
            .wasInterrupted())
      return (kWhole + "another await comes before what it brings is used")
          .str();
  auto run = dyn_cast_or_null<sched::RunOp>(user);
  if (!run)
    return (kWhole +
            (isa_and_nonnull<scf::IfOp>(user)
                 ? "what it brings is used under a condition"
                 : "it is not a segment that uses what it brings first"))
        .str();
  auto segment = symbols.lookup<sched::SegmentOp>(run.getSegment());
  if (!runsOnce(segment))
    return (kWhole + "@" + segment.getSymName() + " runs elsewhere too").str();
  gatherFlat(segment, sum.getCount(), buffers);
  sched::LaunchOp first = flatEnd(segment, sum.getCount(), buffers);
  bool needsMore = !first;
  for (Operation *op = first ? first->getPrevNode() : nullptr; op;
       op = op->getPrevNode())
    needsMore |= mentions(op, sum.getBuffer(), symbols);
  // Nor may a launch of the row see a slice of the sum as something small.
  for (Operation *op = first; op; op = op->getNextNode())
    for (auto read :
         cast<sched::LaunchOp>(op).getReads().getAsRange<sched::RangeAttr>())
      needsMore |=
          read.getBuffer() == sum.getBuffer() && read != sum.getRange();
  if (needsMore)
    return (kWhole + "@" + segment.getSymName() +
            " needs more of the sum at once than one index")
        .str();
  int64_t width = sched::bytesOf(sum.getType());
  cutByBucket(first, sum.getCount(), buckets,
              [&](OpBuilder &b, unsigned bucket, bool after) {
                if (after || bucket == 0)
                  return;
                auto part = sched::TypedRangeAttr::get(
                    b.getContext(), sum.getBuffer(),
                    buckets[bucket].offset * width,
                    buckets[bucket].count * width, sum.getType());
                sched::ArriveOp::create(b, await.getLoc(), sched::Lane::Comm,
                                        b.getArrayAttr(part));
              });
  await.setFirst(buckets[0].count * width);
  return (Twine(buckets.size()) + " buckets, in @" + segment.getSymName())
      .str();
}
