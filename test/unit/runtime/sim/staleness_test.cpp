// bounded-staleness in virtual time: memoryless jobs have closed forms, and the
// server's counts add up.
#include "programs.h"
#include "sim/cluster.h"
#include "support.h"

#include <cmath>

using namespace rubato;
using namespace rubato::sim;
using namespace rubato::sim::test;

namespace {

constexpr int kWorkers = 20;

struct Means {
  double restarts = 0, staleness = 0, time = 0;
};

/// Jobs of mean one in `steps` steps, of which `count` close a round; without
/// a bound: unlimited.
Means measure(int64_t count, std::optional<int64_t> bound, int64_t steps,
              int64_t rounds) {
  Cluster cluster;
  EXPECT_TRUE(readCluster(clusterPath("jobs-exponential.toml"), cluster));
  cluster.workers[0].overhead = 1.0 / static_cast<double>(steps);
  cluster.link.message = 0;
  StalenessProgram options;
  options.steps = steps;
  options.leased = options.byStaleness = false;
  options.rule = {{"adapt", false}, {"guard", false}, {"k0", count}};
  if (bound)
    options.rule.push_back({"bound", *bound});
  else
    options.rule.push_back({"bound", "unlimited"});
  SimRun run;
  run.program = boundedStaleness(options);
  std::unique_ptr<ClusterCosts> costs;
  EXPECT_TRUE(
      ClusterCosts::make(cluster, run.program.spec, kWorkers + 1, 3, costs));
  SimSetup setup{.spec = run.program.spec};
  setup.members = kWorkers + 1;
  setup.costs = costs.get();
  setup.samples = 1000;
  run.quiet = true;
  Cells cells;
  // The budget ends the run after so many rounds.
  cells.batch = 1;
  cells.budget = rounds * count * steps;
  EXPECT_TRUE(run.start(setup, cells));
  EXPECT_TRUE(run.run());
  const Statistics &statistics = run.env->statistics();
  auto n = static_cast<double>(statistics.members[0].rounds[0]);
  double sum = 0, uploads = 0;
  for (auto [staleness, times] : statistics.staleness) {
    sum += static_cast<double>(staleness * times);
    uploads += static_cast<double>(times);
    EXPECT_LE(staleness, bound.value_or(INT64_MAX));
  }
  EXPECT_EQ(uploads, n * static_cast<double>(count));
  return {static_cast<double>(statistics.restarts) / n, sum / uploads,
          static_cast<double>(statistics.time) * 1e-9 / n};
}

double roundTime(int64_t count) {
  double time = 0;
  for (int64_t i = kWorkers - count + 1; i <= kWorkers; ++i)
    time += 1.0 / static_cast<double>(i);
  return time;
}

TEST(Staleness, UnboundedHasTheMeanOfTheClosedForm) {
  for (int64_t count : {1, 5}) {
    Means means = measure(count, {}, 1, 2500);
    double expected = kWorkers / static_cast<double>(count) - 1;
    EXPECT_EQ(means.restarts, 0);
    EXPECT_NEAR(means.staleness, expected, 0.06 * expected) << count;
    EXPECT_NEAR(means.time, roundTime(count), 0.06 * roundTime(count)) << count;
  }
}

TEST(Staleness, BoundedHasTheRestartsOfTheClosedForm) {
  // Short steps, since a worker notices a restart at the end of one.
  const int64_t count = 5, bound = 1;
  Means means = measure(count, bound, 40, 300);
  double q = 1 - static_cast<double>(count) / kWorkers;
  double restarts = kWorkers * q * q * (1 - q) / (1 - q * q);
  double staleness = q / (1 + q);
  EXPECT_NEAR(means.restarts, restarts, 0.1 * restarts);
  EXPECT_NEAR(means.staleness, staleness, 0.1 * staleness);
  EXPECT_NEAR(means.time, roundTime(count), 0.1 * roundTime(count));
}

TEST(Staleness, OfAllWorkersIsZero) {
  Means means = measure(kWorkers, {}, 1, 500);
  EXPECT_EQ(means.staleness, 0);
  EXPECT_NEAR(means.time, roundTime(kWorkers), 0.1 * roundTime(kWorkers));
}

} // namespace
