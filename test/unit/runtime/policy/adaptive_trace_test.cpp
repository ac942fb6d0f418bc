// The controller in a loop with devices: traces and settling times.
#include "adaptive_devices.h"

using namespace rubato::policy;

using Counts = std::vector<int64_t>;

/// Rules are steered by from the first mega-batch on, in single samples.
static AdaptiveOptions rule(BatchRule kind, double gain = 16,
                            bool guard = false) {
  AdaptiveOptions options;
  options.scaling.rule = kind;
  options.scaling.gain = gain;
  options.scaling.guard = guard;
  options.scaling.quantum = 1;
  options.discarded = 0;
  return options;
}

static const std::vector<double> mild = {1, 1, 1.3, 1.6};

/// Mega-batches before the update counts differ by at most 2 for good; -1 for
/// never. Goes on with `devices`.
static int settle(AdaptiveDevices &devices, int megaBatches = 120) {
  int last = 0;
  for (int i = 0; i < megaBatches; ++i)
    if (devices.megaBatch().spread() > 2)
      last = i + 1;
  return last == megaBatches ? -1 : last;
}

TEST(AdaptiveTrace, GoldenTrace) {
  AdaptiveDevices devices(rule(BatchRule::Linear), mild);
  struct {
    Counts updates, batches;
  } rows[] = {{{29, 29, 23, 19}, {1024, 1024, 1024, 1024}},
              {{30, 30, 23, 20}, {1024, 1024, 992, 928}},
              {{30, 30, 24, 22}, {1024, 1024, 948, 836}},
              {{30, 30, 25, 24}, {1024, 1024, 908, 764}},
              {{30, 30, 26, 26}, {1024, 1024, 872, 712}}};
  for (const auto &row : rows) {
    auto result = devices.megaBatch();
    EXPECT_EQ(result.updates, row.updates);
    EXPECT_EQ(result.batches, row.batches);
  }
  for (int i = 0; i < 30; ++i)
    devices.megaBatch();
  EXPECT_EQ(devices.megaBatch().updates, Counts(4, 30));
}

TEST(AdaptiveTrace, SettlingRows) {
  struct {
    AdaptiveOptions options;
    int settled;
    Counts batches;
    int64_t tolerance = 0;
  } rows[] = {
      {rule(BatchRule::Linear, 8), 13, {1024, 1024, 778, 610}},
      {rule(BatchRule::Linear, 16), 6, {1024, 1024, 780, 604}},
      // Ripples with period 2; this is the state after an odd count.
      {rule(BatchRule::Linear, 32), 3, {1024, 1024, 752, 624}},
      {rule(BatchRule::Sign), 12, {1024, 1024, 768, 608}},
      // The stated batches were rounded at every step, ours when dealt.
      {rule(BatchRule::Proportional), 6, {1024, 1024, 778, 612}, 1},
  };
  for (auto &row : rows) {
    AdaptiveDevices devices(row.options, mild);
    EXPECT_EQ(settle(devices, 59), row.settled);
    Counts batches = devices.megaBatch().batches;
    for (size_t i = 0; i < batches.size(); ++i)
      EXPECT_LE(std::abs(batches[i] - row.batches[i]), row.tolerance) << i;
  }
}

TEST(AdaptiveTrace, TooLargeAGainNeverSettlesUnlessGuarded) {
  AdaptiveDevices wild(rule(BatchRule::Linear, 64), mild);
  EXPECT_EQ(settle(wild), -1);
  AdaptiveDevices guarded(rule(BatchRule::Linear, 64, true), mild);
  EXPECT_EQ(settle(guarded), 7);
}

TEST(AdaptiveTrace, TheFirstMegaBatchIsDiscarded) {
  AdaptiveOptions options = rule(BatchRule::Linear);
  options.discarded = AdaptiveOptions().discarded;
  AdaptiveDevices devices(options, mild);
  EXPECT_EQ(devices.megaBatch().batches, Counts(4, 1024));
  EXPECT_EQ(devices.megaBatch().batches, Counts(4, 1024));
  EXPECT_EQ(devices.megaBatch().batches, (Counts{1024, 1024, 992, 928}));
}

TEST(AdaptiveTrace, DefaultsSettle) {
  AdaptiveDevices devices({}, mild);
  int settled = settle(devices);
  EXPECT_GE(settled, 0);
  EXPECT_LE(settled, 15);
  auto result = devices.megaBatch();
  EXPECT_EQ(result.batches[0], 1024);
  for (int64_t batch : result.batches)
    EXPECT_EQ(batch % 32, 0);
}

TEST(AdaptiveTrace, StepChangeResettles) {
  struct {
    AdaptiveOptions options;
    int settled;
  } rows[] = {{rule(BatchRule::Linear), 9},
              {rule(BatchRule::Proportional), 12},
              // Ripples for ever: at every other one of the 50 watched here.
              {rule(BatchRule::Sign), 49}};
  for (auto &row : rows) {
    AdaptiveDevices devices(row.options, mild);
    settle(devices);
    devices.slowness[0] = 2;
    EXPECT_EQ(settle(devices, 50), row.settled);
  }
  AdaptiveDevices devices(rule(BatchRule::Linear), mild);
  settle(devices);
  devices.slowness[0] = 2;
  settle(devices);
  auto result = devices.megaBatch();
  EXPECT_EQ(result.batches, (Counts{460, 1024, 776, 600}));
  EXPECT_EQ(result.updates, Counts(4, 36));
}

TEST(AdaptiveTrace, ThroughputNearTheBound) {
  // Against a barrier after every round of equal batches.
  AdaptiveDevices devices(rule(BatchRule::Linear), mild);
  double time = 0, samples = 0;
  for (int i = 0; i < 60; ++i) {
    auto result = devices.megaBatch();
    time += result.time;
    samples += result.samples;
  }
  double barrier = 4 * 1024 / (1.6 * (100 + 1024));
  EXPECT_NEAR(samples / time / barrier, 1.317, 0.01);

  AdaptiveDevices equal(rule(BatchRule::Linear), {1, 1, 1, 1});
  auto result = equal.megaBatch();
  EXPECT_NEAR(result.samples / result.time / (4 * 1024 / 1124.0), 1, 1e-12);
}

TEST(AdaptiveTrace, EqualSharesGiveEqualUpdates) {
  AdaptiveOptions options = rule(BatchRule::Fixed);
  options.equalShares = true;
  AdaptiveDevices devices(options, mild);
  EXPECT_EQ(devices.megaBatch().updates, Counts(4, 25));
  EXPECT_EQ(devices.megaBatch().updates, Counts(4, 25));
}
