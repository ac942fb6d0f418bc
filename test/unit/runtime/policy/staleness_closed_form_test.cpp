// Memoryless jobs have closed forms for restarts, staleness and round time;
// fixed speeds have exact ones; and the ends of the scale are known methods.
#include "policy/random.h"
#include "staleness_world.h"

#include <array>
#include <cmath>

using namespace rubato::policy;

namespace {

constexpr int64_t M = 20;

StalenessOptions fixed(int64_t count, std::optional<int64_t> bound = {}) {
  StalenessOptions options;
  options.k0 = count;
  options.bound = bound;
  options.adapt = options.guard = false;
  return options;
}

struct Means {
  double restarts = 0, dropped = 0, staleness = 0, time = 0;
};

Means run(StalenessWorld &world, int64_t rounds) {
  int64_t sum = 0, uploads = 0;
  world.start();
  for (int64_t i = 0; i < rounds; ++i)
    for (const auto &upload : world.step().arrivals) {
      sum += upload.staleness;
      ++uploads;
    }
  EXPECT_EQ(world.violations, 0);
  double n = static_cast<double>(rounds);
  return {
      world.ledger.counters().restarts / n, world.ledger.counters().dropped / n,
      static_cast<double>(sum) / static_cast<double>(uploads), world.time / n};
}

/// Exponential jobs of mean one.
std::function<double(int64_t)> memoryless() {
  return [call = int64_t{0}](int64_t worker) mutable {
    return CounterRandom(3, "job", {worker, call++}).exponential();
  };
}

/// Time until `count` of M memoryless jobs have ended.
double roundTime(int64_t count) {
  double sum = 0;
  for (int64_t i = M - count + 1; i <= M; ++i)
    sum += 1.0 / static_cast<double>(i);
  return sum;
}

} // namespace

TEST(StalenessClosedForm, BoundedCounts) {
  const std::pair<int64_t, int64_t> cases[] = {{1, 9}, {2, 4}, {5, 1}, {10, 1}};
  for (auto [count, bound] : cases) {
    SCOPED_TRACE(count);
    StalenessWorld world(M, fixed(count));
    world.compute = memoryless();
    Means means = run(world, 100000);
    EXPECT_EQ(world.bound, bound);
    double q = 1 - static_cast<double>(count) / M;
    double cut = std::pow(q, bound + 1), weighted = 0, whole = 0;
    for (int64_t s = 0; s <= bound; ++s) {
      weighted += static_cast<double>(s) * std::pow(q, s);
      whole += std::pow(q, s);
    }
    double restarts = M * cut * (1 - q) / (1 - cut);
    EXPECT_NEAR(means.restarts, restarts, 0.03 * restarts);
    EXPECT_NEAR(means.staleness, weighted / whole, 0.03 * weighted / whole);
    EXPECT_NEAR(means.time, roundTime(count), 0.03 * roundTime(count));
  }
}

TEST(StalenessClosedForm, UnboundedStalenessIsGeometric) {
  for (int64_t count : {1, 2, 5, 10}) {
    StalenessWorld world(M, fixed(count, unbounded));
    world.compute = memoryless();
    Means means = run(world, 100000);
    double staleness = static_cast<double>(M) / count - 1;
    EXPECT_NEAR(means.staleness, staleness, 0.03 * staleness);
    EXPECT_NEAR(means.time, roundTime(count), 0.03 * roundTime(count));
    EXPECT_EQ(means.restarts, 0);
    EXPECT_EQ(means.dropped, 0);
  }
}

TEST(StalenessClosedForm, DisobedienceCostsOnlyTime) {
  struct {
    bool obedient;
    double restarts, dropped, time;
  } cases[] = {{true, 2.45, 0.97, 0.217}, {false, 2.52, 2.07, 0.270}};
  for (const auto &c : cases) {
    StalenessWorld world(M, fixed(2));
    world.compute = memoryless();
    world.latency = 0.25;
    world.obedient = c.obedient;
    Means means = run(world, 20000);
    EXPECT_NEAR(means.restarts, c.restarts, 0.03 * c.restarts);
    EXPECT_NEAR(means.dropped, c.dropped, 0.03 * c.dropped);
    EXPECT_NEAR(means.time, c.time, 0.03 * c.time);
  }
}

TEST(StalenessClosedForm, FixedSpeedsStarveTheSlow) {
  StalenessWorld world(M, fixed(2));
  world.compute = [](int64_t m) {
    return std::array{4.0, 4.0, 2.0, 1.0}[m % 4];
  };
  world.latency = 0.25;
  Means means = run(world, 20000);
  EXPECT_EQ(world.bound, 4);
  EXPECT_NEAR(means.time, 0.5, 0.005);
  EXPECT_NEAR(means.restarts, 2.4, 0.024);
  EXPECT_NEAR(means.staleness, 3.0, 0.03);
  EXPECT_EQ(world.ledger.accepted(0), 0) << "no longer starves";
  EXPECT_GT(world.ledger.accepted(3), 0);
}

TEST(StalenessClosedForm, EndsOfTheScale) {
  StalenessWorld all(M, fixed(everyone));
  all.compute = memoryless();
  Means means = run(all, 20000);
  EXPECT_EQ(means.staleness, 0);
  EXPECT_EQ(means.restarts, 0);
  EXPECT_NEAR(means.time, roundTime(M), 0.03 * roundTime(M));

  StalenessWorld fresh(M, fixed(5, 0));
  fresh.compute = memoryless();
  means = run(fresh, 20000);
  EXPECT_EQ(means.staleness, 0);
  EXPECT_EQ(means.restarts, M - 5);

  // One upload per round, nobody restarts: staleness counts the versions that
  // others published since, in order of arrival.
  StalenessWorld single(M, fixed(1, unbounded));
  single.compute = memoryless();
  single.start();
  std::vector<int64_t> last(M, 0);
  for (int64_t version = 0; version < 1000; ++version) {
    auto round = single.step();
    ASSERT_EQ(round.arrivals.size(), 1u);
    auto upload = round.arrivals[0];
    ASSERT_EQ(upload.staleness, version - last[upload.worker]);
    last[upload.worker] = version + 1;
  }
}
