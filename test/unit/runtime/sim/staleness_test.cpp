// bounded-staleness in virtual time: memoryless jobs have closed forms, and the
// server's counts add up.
#include "programs.h"
#include "sim/cluster.h"
#include "support.h"

#include <cmath>
#include <cstdlib>

using namespace rubato;
using namespace rubato::sim;
using namespace rubato::sim::test;

namespace {

constexpr int kWorkers = 20;

struct Means {
  double restarts = 0, staleness = 0, time = 0;
  int unused = 0; // workers that never counted
};

/// Memoryless jobs of mean one in `steps` steps, without messages.
Cluster memoryless(int64_t steps) {
  Cluster cluster;
  EXPECT_TRUE(readCluster(clusterPath("jobs-exponential.toml"), cluster));
  cluster.workers[0].overhead = 1.0 / static_cast<double>(steps);
  cluster.link.message = 0;
  return cluster;
}

/// Jobs of `steps` steps, of which `count` close a round; without a bound:
/// unlimited.
Means measure(int64_t count, std::optional<int64_t> bound, int64_t steps,
              int64_t rounds, const Cluster &cluster) {
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
  // Everybody's first model, one for each upload but the last, and restarts.
  EXPECT_EQ(statistics.downloads, kWorkers +
                                      (n - 1) * static_cast<double>(count) +
                                      static_cast<double>(statistics.restarts));
  int unused = 0;
  for (int rank = 1; rank <= kWorkers; ++rank)
    unused += statistics.members[static_cast<size_t>(rank)].accepted == 0;
  return {static_cast<double>(statistics.restarts) / n, sum / uploads,
          static_cast<double>(statistics.time) * 1e-9 / n, unused};
}

Means measure(int64_t count, std::optional<int64_t> bound, int64_t steps,
              int64_t rounds) {
  return measure(count, bound, steps, rounds, memoryless(steps));
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

/// Restarts take effect at once, so that one step is a job. In 10^5 rounds,
/// with RUBATO_LONG_TESTS, within 3 %.
TEST(Staleness, BoundedHasTheRestartsOfTheClosedForm) {
  bool isLong = std::getenv("RUBATO_LONG_TESTS") != nullptr;
  const double share = isLong ? 0.03 : 0.08;
  for (auto [count, bound] : {std::pair(1, 9), {2, 4}, {5, 1}, {10, 1}}) {
    Means means = measure(count, bound, 1, isLong ? 100000 : 1000);
    double q = 1 - static_cast<double>(count) / kWorkers, sum = 0, all = 0;
    for (int s = 0; s <= bound; ++s) {
      sum += s * std::pow(q, s);
      all += std::pow(q, s);
    }
    double cut = std::pow(q, bound + 1);
    double restarts = kWorkers * cut * (1 - q) / (1 - cut);
    EXPECT_NEAR(means.restarts, restarts, share * restarts) << count;
    EXPECT_NEAR(means.staleness, sum / all, share * sum / all) << count;
    EXPECT_NEAR(means.time, roundTime(count), share * roundTime(count))
        << count;
  }
}

/// Fixed speeds 4:4:2:1: the closed round of 0.5 s, with the slowest never
/// used.
TEST(Staleness, SlowWorkersOfFixedSpeedsStarve) {
  Cluster cluster;
  cluster.repeat = cluster.restartsAtOnce = true;
  for (double seconds : {4.0, 4.0, 2.0, 1.0})
    cluster.workers.emplace_back().overhead = seconds;
  cluster.link.message = 0.25;
  Means means = measure(2, 4, 1, 2000, cluster);
  EXPECT_NEAR(means.time, 0.5, 0.005);
  EXPECT_NEAR(means.restarts, 2.4, 0.024);
  EXPECT_NEAR(means.staleness, 3, 0.03);
  EXPECT_GT(means.unused, 0);
}

TEST(Staleness, OfAllWorkersIsZero) {
  Means means = measure(kWorkers, {}, 1, 500);
  EXPECT_EQ(means.staleness, 0);
  EXPECT_NEAR(means.time, roundTime(kWorkers), 0.1 * roundTime(kWorkers));
}

} // namespace
