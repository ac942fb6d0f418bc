// Synchronous data-parallel SGD: the program.
#include "AllReduce.h"

#include "rubato/Sync/ProgramBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

const AlgorithmInfo &allreduce::info() {
  static const AlgorithmInfo info{
      .configurations = {{"allreduce",
                          "synchronous SGD: every round sums the gradients of "
                          "all members"}},
      .description =
          "Every member computes the gradients of its share of the global "
          "batch; one reduction sums gradients, sample counts, losses and stop "
          "requests; every member applies the same update, so replicas stay "
          "bit-identical.\n\nUse it when machines are equally fast. It waits "
          "for the slowest member in every round.",
      .warnings = {"The slowest member sets the pace of all."},
      .byDefault = true,
  };
  return info;
}

static void buildRound(ProgramBuilder &b) {
  Value w = b.load("w"), step = b.load("seen");
  auto gradient = b.roundGradient(w, step);
  ValueRange sums = b.await(b.sumGradients("grads", gradient));
  b.update(ProgramBuilder::Gradient::of(sums));
  NextOp::create(b, b.withinBudget(sums.back()));
}

LogicalResult allreduce::build(ProgramBuilder &b, const AlgorithmOptions &) {
  GroupOp::create(b, "world");
  ChannelOp::create(b, "grads", "world", ChannelKind::Collective);
  b.addCells();
  b.role("worker", "world", [&] {
    b.strand([&](ValueRange) { buildRound(b); });
    b.modelOfCell();
  });
  return success();
}
