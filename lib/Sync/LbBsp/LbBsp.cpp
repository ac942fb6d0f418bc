// LB-BSP: synchronous SGD whose batch is split by the members' speeds.
#include "LbBsp.h"

#include "rubato/Sync/ProgramBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;
using Kind = AlgorithmOption::Kind;

const AlgorithmInfo &lb_bsp::info() {
  static const AlgorithmInfo info{
      .configurations = {{"lb-bsp", "synchronous SGD that gives every member "
                                    "the share of the batch that fits its "
                                    "speed"}},
      .description =
          "The global batch is fixed. At the start of a round every member "
          "says "
          "how many samples it had in the last one and how long they took; the "
          "batch is then split in proportion to the speeds, a moving average, "
          "so that all finish together. One blocking reduction sums the "
          "gradients.\n\nUse it when machines differ in speed and the "
          "differences are steady, and the mathematics must stay that of "
          "synchronous SGD. With delay=1 the reduction runs while the next "
          "batch is computed, and shares follow the reports of the round "
          "before "
          "the last, so that nobody waits for the round in progress; the price "
          "is gradients that are one update old.",
      .options = {{.name = "batch",
                   .kind = Kind::Integer,
                   .value = "0",
                   .help = "Samples of a round, all members together; 0 stands "
                           "for one micro-batch of every member there is at "
                           "the start.",
                   .min = 0,
                   .max = 4294967296.0},
                  {.name = "smoothing",
                   .kind = Kind::Real,
                   .value = "0.7",
                   .help = "Weight of the past in the average of measured "
                           "speeds, below 1.",
                   .min = 0,
                   .max = 0.999999},
                  {.name = "delay",
                   .kind = Kind::Integer,
                   .value = "0",
                   .help =
                       "Updates that a gradient is late: 0, or 1 to compute "
                       "the next batch while the last is being summed.",
                   .min = 0,
                   .max = 1}},
      .warnings =
          {"Shares follow the speeds of the past: where the speed of a member "
           "changes from round to round, this is no faster than allreduce.",
           "The batch must be many times the number of members, or shares are "
           "too coarse to balance anything. The rest of a share that does not "
           "fill a micro-batch costs as much as a full one on most devices.",
           "A round in which the samples of a lost member are made up for may "
           "be smaller than the batch; the gradient is then the mean over "
           "fewer samples.",
           "With delay=1 the learning rate times the curvature must stay below "
           "1 - momentum: a rate tuned for allreduce can diverge.",
           "Batch normalisation sees micro-batches that may be partly empty."},
  };
  return info;
}

/// What a member did in a round.
namespace {
struct Work {
  ProgramBuilder::Gradient gradient;
  Value rows, seconds;
};
} // namespace

/// Asks for a share, by what the last one took, and computes its gradient.
static Work computeShare(ProgramBuilder &b) {
  Value rowsBefore = b.load("measured_samples");
  Value secondsBefore = b.load("measured_seconds");
  ValueRange share = b.ask("shares", "share", {rowsBefore, secondsBefore},
                           {b.getI64Type(), b.getI64Type()});
  Value begin = share[0], end = share[1], quantum = b.constant(b.quantum);
  Value rows = arith::SubIOp::create(b, end, begin);
  Value count = arith::CeilDivSIOp::create(b, rows, quantum);

  Value w = b.load("w"), step = b.load("seen");
  using Gradient = ProgramBuilder::Gradient;
  Gradient zero = b.noGradient();
  Value start = NowOp::create(b, b.getF64Type());
  ValueRange sums = b.repeat(
      Value(), count, count, zero.values(),
      [&](Value index, ValueRange acc) -> SmallVector<Value> {
        Value offset = arith::MulIOp::create(b, index, quantum);
        Value first = arith::AddIOp::create(b, begin, offset);
        Value full = arith::AddIOp::create(b, first, quantum);
        Value last = arith::MinSIOp::create(b, full, end);
        auto batch = NextBatchOp::create(b, b.batchTypes, BatchSource::Range,
                                         ValueRange{first, last});
        return b.addGradient(w, step, Gradient::of(acc), batch.getResults())
            .values();
      });
  Value seconds =
      arith::SubFOp::create(b, NowOp::create(b, b.getF64Type()), start);
  return {Gradient::of(sums), rows, seconds};
}

/// Updates the model by a sum that is not empty.
static void applyIfAny(ProgramBuilder &b, ValueRange sums) {
  auto gradient = ProgramBuilder::Gradient::of(sums);
  Value any = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt,
                                    b.extract(gradient.samples),
                                    b.constant(int64_t(0)));
  b.when(any, [&] { b.update(gradient); });
}

/// Remembers what the round took, behind everything in it that may fail.
static void remember(ProgramBuilder &b, const Work &work) {
  b.atomic({"measured_samples", "measured_seconds"}, [&](ValueRange) {
    return ProgramBuilder::AtomicResult{{work.rows, work.seconds}};
  });
}

static void writeBlocking(ProgramBuilder &b) {
  b.strand([&](ValueRange) {
    Work work = computeShare(b);
    ValueRange sums = b.await(b.sumGradients("grads", work.gradient));
    b.update(ProgramBuilder::Gradient::of(sums));
    remember(b, work);
    NextOp::create(b, b.withinBudget(sums.back()));
  });
}

/// The sum of a round is awaited in the next one, and nobody waits for the
/// round that others still compute: shares follow the reports that everybody
/// has made when the last sum but one is there.
static void writeDelayed(ProgramBuilder &b) {
  Type sum = FutureType::get(b.getContext(), b.gradientSums());
  b.init([&](ValueRange) {
    YieldOp::create(b, ValueRange(ReadyOp::create(b, sum)));
  });
  b.strand(
      [&](ValueRange carried) {
        Work work = computeShare(b);
        Value next = b.sumGradients("grads", work.gradient);
        ValueRange sums = b.await(carried.front());
        applyIfAny(b, sums);
        remember(b, work);
        NextOp::create(b, b.withinBudget(sums.back()), next);
      },
      sum);
  b.drain(
      [&](ValueRange carried) {
        applyIfAny(b, b.await(carried.front()));
        YieldOp::create(b);
      },
      sum);
}

LogicalResult lb_bsp::build(ProgramBuilder &b,
                            const AlgorithmOptions &options) {
  GroupOp::create(b, "world");
  ChannelOp::create(b, "grads", "world", ChannelKind::Collective);
  Type i64 = b.getI64Type(), f64 = b.getF64Type();
  bool isDelayed = options.integer("delay") == 1;
  SmallVector<NamedAttribute> settings{
      b.getNamedAttr("batch", b.getI64IntegerAttr(options.integer("batch"))),
      b.getNamedAttr("quantum", b.getI64IntegerAttr(b.quantum)),
      b.getNamedAttr("smoothing",
                     b.getF64FloatAttr(options.real("smoothing")))};
  // Who asks must not wait for the round that others still compute.
  if (isDelayed)
    settings.push_back(b.getNamedAttr("delay", b.getI64IntegerAttr(1)));
  b.policy("shares", "balance.shares", Placement::Central, settings,
           {{"share", b.getFunctionType({i64, f64}, {i64, i64})}});
  b.addCells();
  b.addState("measured_samples", i64);
  b.addState("measured_seconds", f64);
  b.role("worker", "world", [&] {
    if (isDelayed)
      writeDelayed(b);
    else
      writeBlocking(b);
    b.modelOfCell();
  });
  return success();
}
