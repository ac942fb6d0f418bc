// Local SGD: several steps on a private copy of the model, then an average.
#include "LocalSgd.h"

#include "rubato/Sync/ProgramBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

const AlgorithmInfo &local_sgd::info() {
  static const AlgorithmInfo info{
      .configurations = {{"local-sgd", "every member takes several steps by "
                                       "itself, then the parameters are "
                                       "averaged"}},
      .description =
          "Every member takes a number of optimizer steps on a private copy of "
          "the model, one micro-batch each, from a stream of batches that all "
          "share. Then one blocking reduction averages the copies, and every "
          "member goes on from the average.\n\nUse it when the network is slow "
          "and machines are equally fast: it communicates once in so many "
          "steps. All members take the same number of steps, so it waits for "
          "the slowest in every round.",
      .options = {{.name = "steps",
                   .kind = AlgorithmOption::Kind::Integer,
                   .value = "8",
                   .help = "Local steps of every member between two averages.",
                   .min = 1,
                   .max = 1e9},
                  {.name = "momentum",
                   .kind = AlgorithmOption::Kind::Choice,
                   .value = "keep",
                   .help =
                       "What an average does to the optimizer's state: every "
                       "member keeps its own, starts again from zero, or takes "
                       "the average of all, which makes the reduction larger.",
                   .choices = {"keep", "reset", "average"}}},
      .warnings =
          {"More local steps let the copies drift apart: the noise of a round "
           "grows with their number and with the learning rate. Tune the rate "
           "again when you change `steps`.",
           "A local step sees one micro-batch, not the global batch: a rate "
           "that was tuned for allreduce on many members is too large here.",
           "With `momentum=keep` members have different optimizer states; a "
           "member that joins takes over that of another.",
           "With `momentum=reset` Adam starts its bias correction anew in "
           "every round: use many steps, or keep its state.",
           "Schedules count samples of all members. Within a round a member "
           "supposes that the others are as far as itself.",
           "The slowest member sets the pace of all."},
  };
  return info;
}

namespace {
enum class Momentum { Keep, Reset, Average };

/// What a member has after its local steps.
struct Local {
  Value x;
  SmallVector<Value> state;
  Value samples, loss;
};
} // namespace

static ValueRange takeBatch(ProgramBuilder &b) {
  // The average that a batch went into acknowledges it: the batches of a member
  // that dies before are issued again.
  auto average = FlatSymbolRefAttr::get(b.getContext(), "average");
  return NextBatchOp::create(b, b.batchTypes, BatchSource::Queue, average,
                             ValueRange())
      .getResults();
}

/// The steps of one round, from @w. Nothing here is written to a cell: a round
/// that fails later runs again from the same state.
static Local localSteps(ProgramBuilder &b, int64_t steps, Value w,
                        ArrayRef<Value> state) {
  auto view = ViewOp::create(b, b.getI64Type(), b.getI64Type(), "world");
  Value members = b.wrap(view.getMembers()), seen = b.load("seen");
  auto zero = b.noGradient();
  SmallVector<Value> start{w};
  llvm::append_range(start, state);
  start.append({zero.samples, zero.loss});

  Value count = b.constant(steps);
  ValueRange end = b.repeat(
      Value(), count, count, start,
      [&](Value, ValueRange carried) -> SmallVector<Value> {
        Value x = carried.front();
        ValueRange before = carried.slice(1, state.size());
        ValueRange sums = carried.drop_front(1 + state.size());
        // The clock of schedules: as if all members were as far as this one.
        Value clock = arith::AddIOp::create(
            b, seen, arith::MulIOp::create(b, sums[0], members));
        auto gradient = b.addGradient(x, clock, zero, takeBatch(b));
        Value samples = arith::MulIOp::create(b, gradient.samples, members);
        Value rate = b.learningRate(clock, samples);
        auto stepped = b.step(x, before, gradient, rate);
        SmallVector<Value> next{
            arith::SubFOp::create(b, x, stepped.displacement)};
        llvm::append_range(next, stepped.state);
        next.push_back(arith::AddIOp::create(b, sums[0], gradient.samples));
        next.push_back(arith::AddFOp::create(b, sums[1], gradient.loss));
        return next;
      });
  return {end.front(), SmallVector<Value>(end.slice(1, state.size())),
          end[1 + state.size()], end[2 + state.size()]};
}

static void buildRound(ProgramBuilder &b, int64_t steps, Momentum momentum) {
  Value w = b.load("w");
  SmallVector<Value> state;
  for (auto [i, type] : llvm::enumerate(b.stateTypes))
    state.push_back(momentum == Momentum::Reset
                        ? b.zero(type)
                        : b.load("state" + std::to_string(i)));
  Local local = localSteps(b, steps, w, state);

  // Displacements, not parameters: their sum rounds less. Who contributed is
  // counted by the reduction itself, so the mean is right when a member died.
  SmallVector<Value> operands{
      arith::SubFOp::create(b, local.x, w), b.wrap(b.constant(int64_t(1))),
      local.samples, local.loss, StopRequestedOp::create(b, b.counterType)};
  if (momentum == Momentum::Average)
    llvm::append_range(operands, local.state);
  ValueRange sums = b.await(b.allReduce("average", operands));
  Value contributors = b.extract(sums[1]);
  auto mean = [&](Value sum) -> Value {
    return arith::DivFOp::create(b, sum, b.fill(contributors, sum.getType()));
  };

  b.atomic(b.modelCells(), [&](ValueRange cells) {
    ProgramBuilder::AtomicResult result{
        {arith::AddFOp::create(b, cells.front(), mean(sums[0]))}};
    for (size_t i = 0; i < state.size(); ++i)
      result.cells.push_back(momentum == Momentum::Keep      ? local.state[i]
                             : momentum == Momentum::Average ? mean(sums[5 + i])
                                                             : cells[1 + i]);
    result.cells.push_back(arith::AddIOp::create(b, cells.back(), sums[2]));
    return result;
  });
  NextOp::create(b, b.withinBudget(sums[4]));
}

LogicalResult local_sgd::build(ProgramBuilder &b,
                               const AlgorithmOptions &options) {
  StringRef choice = options.choice("momentum");
  Momentum momentum = choice == "reset"     ? Momentum::Reset
                      : choice == "average" ? Momentum::Average
                                            : Momentum::Keep;
  auto isReal = [](Type type) {
    return isa<FloatType>(cast<RankedTensorType>(type).getElementType());
  };
  if (momentum == Momentum::Average && !llvm::all_of(b.stateTypes, isReal))
    return b.emitOpError("momentum=average needs an optimizer whose state is "
                         "all real numbers; use momentum=keep or reset");
  GroupOp::create(b, "world");
  ChannelOp::create(b, "average", "world", ChannelKind::Collective);
  b.addCells();
  b.role("worker", "world", [&] {
    b.strand(
        [&](ValueRange) { buildRound(b, options.integer("steps"), momentum); });
    b.modelOfCell();
  });
  return success();
}
