// The bound on staleness over many rounds: four laws of duration, a rising
// count, deaths and returns, workers that ignore a restart. Nothing staler than
// the bound is ever accepted, and no round waits for ever.
#include "policy/random.h"
#include "staleness_world.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <string>

using namespace rubato::policy;

namespace {

constexpr int64_t M = 20;

/// RUBATO_LONG_TESTS multiplies the rounds by ten. A sanitizer has seen all
/// code after a tenth of them.
int64_t rounds(int64_t usual) {
#ifdef RUBATO_SANITIZED
  usual /= 10;
#endif
  return std::getenv("RUBATO_LONG_TESTS") ? 10 * usual : usual;
}

enum class Law { Exponential, Shifted, Pareto, Fixed };

/// Draws of mean one (Fixed: unequal speeds 1 : 1 : 2 : 4).
struct Durations {
  Law law;
  int64_t draws = 0;
  double operator()(int64_t worker) {
    CounterRandom random(11, "duration", {worker, draws++});
    switch (law) {
    case Law::Exponential:
      return random.exponential();
    case Law::Shifted:
      return 0.5 + 0.5 * random.exponential();
    case Law::Pareto:
      return 0.5 / std::sqrt(1 - random.uniform());
    case Law::Fixed:
      return std::array{2.0, 2.0, 1.0, 0.5}[worker % 4];
    }
    return 1;
  }
};

/// A loss that takes the count from 2 to everybody in `total` rounds.
StalenessOptions risingOptions() {
  StalenessOptions options;
  options.k0 = 2;
  options.initialLoss = 1;
  return options;
}

double fallingLoss(int64_t round, int64_t total) {
  double root = 1 + 9.5 * static_cast<double>(round) / total;
  return 1 / (root * root);
}

struct Case {
  Law law;
  bool obedient;
};

std::string caseName(const testing::TestParamInfo<Case> &info) {
  const char *names[] = {"Exponential", "Shifted", "Pareto", "Fixed"};
  return names[static_cast<int>(info.param.law)] +
         std::string(info.param.obedient ? "" : "Disobedient");
}

class StalenessBound : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(StalenessBound, HoldsWhileTheCountRises) {
  StalenessWorld world(M, risingOptions());
  int64_t total = rounds(100000), participants = 0, worst = 0;
  world.compute = Durations{GetParam().law};
  world.obedient = GetParam().obedient;
  world.latency = 0.25;
  world.loss = [&](const auto &) {
    return fallingLoss(world.ledger.version(), total);
  };
  world.start();
  int64_t before = world.count, models = M;
  EXPECT_EQ(before, 2);
  for (int64_t i = 0; i < total; ++i) {
    auto round = world.step();
    ASSERT_EQ(static_cast<int64_t>(round.arrivals.size()), round.count);
    ASSERT_GE(round.nextCount, before) << "the count fell";
    before = round.nextCount;
    participants += round.count;
    models += round.count + static_cast<int64_t>(round.restarted.size());
    for (const auto &upload : round.arrivals)
      worst = std::max(worst, upload.staleness);
  }
  EXPECT_EQ(world.count, M);
  EXPECT_EQ(world.violations, 0);
  EXPECT_GT(worst, 0);
  EXPECT_LE(worst, 4);
  const auto &counters = world.ledger.counters();
  EXPECT_EQ(counters.accepted, participants);
  EXPECT_EQ(models, M + participants + counters.restarts);
  EXPECT_GT(counters.restarts, 0);
  EXPECT_GT(counters.dropped, 0);
}

TEST_P(StalenessBound, HoldsUnderDeathsAndReturns) {
  StalenessWorld world(M, risingOptions());
  int64_t total = rounds(100000);
  world.compute = Durations{GetParam().law};
  world.obedient = GetParam().obedient;
  world.latency = 0.25;
  world.loss = [&](const auto &) {
    return fallingLoss(world.ledger.version(), total);
  };
  world.start();
  for (int64_t i = 0; i < total; ++i) {
    // Down to one and up again, a worker that waits or one that runs.
    CounterRandom random(5, "fate", {0, i});
    int64_t worker = random.below(M);
    bool alive =
        world.ledger.state(worker) != StalenessLedger::WorkerState::Dead;
    bool falling = i / 50 % 2 == 0;
    if (falling && alive && world.ledger.alive() > 1)
      world.kill(worker);
    if (!falling && !alive)
      world.join(worker);
    auto round = world.step();
    ASSERT_GT(round.count, 0) << "round " << i << " waits for ever";
    ASSERT_LE(static_cast<int64_t>(round.arrivals.size()), round.count);
  }
  EXPECT_EQ(world.violations, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Laws, StalenessBound,
    testing::Values(Case{Law::Exponential, true}, Case{Law::Exponential, false},
                    Case{Law::Shifted, true}, Case{Law::Shifted, false},
                    Case{Law::Pareto, true}, Case{Law::Pareto, false},
                    Case{Law::Fixed, true}, Case{Law::Fixed, false}),
    caseName);

TEST(StalenessDeaths, RoundsShrinkToThoseAlive) {
  StalenessOptions options;
  options.k0 = 10;
  options.adapt = options.guard = false;
  StalenessWorld world(M, options);
  world.compute = Durations{Law::Exponential};
  world.start();
  int64_t next = 0;
  for (int64_t alive : {20, 15, 8, 2, 1}) {
    while (world.ledger.alive() > alive)
      world.kill(next++);
    world.step(); // may hold uploads of the dead
    for (int i = 0; i < 1000; ++i) {
      auto round = world.step();
      ASSERT_EQ(static_cast<int64_t>(round.arrivals.size()),
                std::min<int64_t>(10, alive));
    }
  }
  EXPECT_EQ(world.violations, 0);
}

TEST(StalenessDeaths, SmallWorldsNeitherHangNorBreakTheBound) {
  for (int64_t seed = 0; seed < rounds(400); ++seed) {
    CounterRandom random(9, "world", {seed, 0});
    int64_t workers = 1 + random.below(12);
    StalenessOptions options;
    options.k0 = 1 + random.below(workers);
    options.alpha = 0.1 + 2 * random.uniform();
    options.boundFloor = random.below(3);
    options.adapt = random.below(2);
    options.maxSamples = 1 + random.below(300);
    StalenessWorld world(workers, options);
    world.compute = Durations{static_cast<Law>(random.below(4))};
    world.obedient = random.below(2);
    world.latency = 0.25;
    world.loss = [&](const auto &) { return 0.1 + random.uniform(); };
    world.start();
    for (bool go = true; go;) {
      if (random.below(8) == 0 && world.ledger.alive() > 1)
        world.kill(random.below(workers));
      auto round = world.step();
      ASSERT_GT(round.count, 0) << "waits for ever with seed " << seed;
      go = round.go;
    }
    // After the stop nothing counts any more.
    int64_t version = world.ledger.version();
    EXPECT_EQ(world.step().count, 0);
    EXPECT_EQ(world.ledger.version(), version);
    EXPECT_EQ(world.violations, 0) << "seed " << seed;
  }
}
