// abs-sgd in the cluster of its specification: the golden trace row by row, and
// the laws of period and batch.
#include "programs.h"
#include "sim/cluster.h"
#include "support.h"

using namespace rubato;
using namespace rubato::sim;
using namespace rubato::sim::test;

namespace {

struct Row {
  std::array<int64_t, 4> counts;
  int64_t samples;
  double start, done, w;
};

const Row kGolden[] = {
    {{1, 1, 1, 1}, 32, 1.02, 2.02, 0},
    {{1, 1, 3, 7}, 96, 2.16, 3.16, 0.125},
    {{2, 2, 3, 4}, 88, 4.08, 5.08, 0.625},
    {{1, 1, 3, 7}, 96, 5.20, 6.20, 0.995313},
    {{2, 2, 2, 4}, 80, 7.14, 8.14, 1.401563},
    {{1, 1, 4, 8}, 112, 8.37, 9.37, 1.627148},
    {{2, 2, 3, 4}, 88, 10.20, 11.20, 1.969375},
    {{1, 1, 3, 7}, 96, 11.44, 12.44, 2.133142},
    {{2, 2, 2, 5}, 88, 13.26, 14.26, 2.337736},
    {{1, 1, 4, 6}, 96, 14.56, 15.56, 2.444429},
};
constexpr double kFlushed = 2.581268;

int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

void runAbs(SimRun &run, std::optional<double> allReduce, int64_t rounds) {
  Cluster cluster;
  ASSERT_OK(readCluster(clusterPath("static.toml"), cluster));
  if (allReduce)
    cluster.link.allReduce = allReduce;
  run.program = absSgd();
  std::unique_ptr<ClusterCosts> costs;
  ASSERT_OK(
      ClusterCosts::make(cluster, run.program.spec, 4, /*seed=*/1, costs));
  SimSetup setup{.spec = run.program.spec};
  setup.members = 4;
  setup.costs = costs.get();
  setup.samples = 4096;
  setup.rounds = rounds;
  Cells cells;
  cells.batch = 8;
  cells.baseLr = 0.2f;
  cells.bRef = 128;
  cells.dataByRank = true;
  cells.budget = 1'000'000;
  ASSERT_OK(run.start(setup, cells));
  // Parameters after each update of rank 0.
  ASSERT_OK(run.run());
}

TEST(AbsSgdTrace, IsTheGoldenOne) {
  SimRun run;
  runAbs(run, {}, 9);
  Events posts[4], awaits[4], repeats[4];
  for (int rank = 0; rank != 4; ++rank) {
    posts[rank] = eventsOf(run.log, "all_reduce", rank);
    awaits[rank] = eventsOf(run.log, "await", rank);
    repeats[rank] = eventsOf(run.log, "repeat", rank);
    ASSERT_EQ(posts[rank].size(), std::size(kGolden));
    ASSERT_EQ(awaits[rank].size(), std::size(kGolden) + 1);
  }
  for (size_t t = 0; t != std::size(kGolden); ++t) {
    const Row &row = kGolden[t];
    int64_t start = 0;
    for (size_t rank = 0; rank != 4; ++rank) {
      EXPECT_EQ(repeats[rank][t]["k"], row.counts[rank]) << t;
      start = std::max(start, posts[rank][t]["t"].get<int64_t>());
      // The sum of round t is awaited in round t + 1, or drained.
      const nlohmann::json &event = awaits[rank][t + 1];
      EXPECT_EQ(event["done"], nanoseconds(row.done)) << t;
      EXPECT_EQ(event["scalars"][0], row.samples) << t;
    }
    EXPECT_EQ(start, nanoseconds(row.start)) << t;
  }
  for (const std::shared_ptr<Cells> &cells : run.cells)
    EXPECT_NEAR(cells->w[0], kFlushed, 1e-6);
}

TEST(AbsSgdTrace, EndsAfterAnyRound) {
  // The same run, cut short: the parameters that a row of the trace has.
  for (size_t rounds = 2; rounds != std::size(kGolden); ++rounds) {
    SimRun run;
    runAbs(run, {}, static_cast<int64_t>(rounds) - 1);
    // The flush applies the sum that row `rounds` applies.
    EXPECT_NEAR(run.cells[0]->w[0], kGolden[rounds].w, 1e-6) << rounds;
  }
}

TEST(AbsSgdTrace, KeepsTheLawsOfPeriodAndBatch) {
  struct Law {
    double reduction, period, batch;
  };
  for (const Law &law :
       {Law{0.25, 1.020, 61.9}, Law{0.5, 1.020, 61.9}, Law{1, 1.528, 92.9},
        Law{2, 2.535, 153.9}, Law{4, 4.589, 278.6}}) {
    SimRun run;
    runAbs(run, law.reduction, 300);
    Events ends = eventsOf(run.log, "await", 0);
    // Without the first ones, which start from nothing.
    const size_t from = 20, to = ends.size() - 1;
    double samples = 0;
    for (size_t i = from; i != to; ++i)
      samples += ends[i + 1]["scalars"][0].get<double>();
    auto count = static_cast<double>(to - from);
    double time =
        (ends[to]["done"].get<double>() - ends[from]["done"].get<double>()) *
        1e-9;
    EXPECT_NEAR(time / count, law.period, 0.02 * law.period) << law.reduction;
    EXPECT_NEAR(samples / count, law.batch, 0.02 * law.batch) << law.reduction;
    // Nobody idles: time is spent in gradients.
    const Statistics &statistics = run.env->statistics();
    for (const MemberStatistics &member : statistics.members)
      EXPECT_GT(static_cast<double>(member.computing),
                0.97 * static_cast<double>(statistics.time));
  }
}

} // namespace
