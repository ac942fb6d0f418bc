// Steps of the batch-size controllers.
#include "policy/adaptive_scaling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

using namespace rubato::policy;

using Batches = std::vector<double>;

static Batches step(const BatchScalingOptions &options, Batches batches,
                    std::vector<int64_t> updates) {
  scaleBatches(options, batches, updates);
  return batches;
}

static BatchScalingOptions linear(double gain) {
  BatchScalingOptions options;
  options.gain = gain;
  options.guard = false;
  options.quantum = 1;
  return options;
}

TEST(AdaptiveScaling, GoldenStep) {
  EXPECT_EQ(step(linear(16), Batches(4, 1024), {29, 29, 23, 19}),
            (Batches{1024, 1024, 992, 928}));
}

TEST(AdaptiveScaling, BoundsClampOrSkip) {
  BatchScalingOptions options = linear(100);
  EXPECT_EQ(step(options, {1000, 200}, {10, 6}), (Batches{1024, 128}));
  options.skipAtBounds = true;
  EXPECT_EQ(step(options, {1000, 200}, {10, 6}), (Batches{1000, 200}));
}

TEST(AdaptiveScaling, GuardLimitsTheGain) {
  // The smallest b / u is 256 / 16, so that the gain is 8.
  BatchScalingOptions options = linear(64);
  options.guard = true;
  EXPECT_EQ(step(options, {512, 256}, {8, 16}), (Batches{480, 288}));
  // A smaller gain is left as it is.
  options.gain = 4;
  EXPECT_EQ(step(options, {512, 256}, {8, 16}), (Batches{496, 272}));
  // The default leaves the gain to the guard.
  EXPECT_EQ(step({}, {512, 256}, {8, 16}), (Batches{480, 288}));
}

TEST(AdaptiveScaling, OtherRules) {
  BatchScalingOptions options;
  options.rule = BatchRule::Sign;
  EXPECT_EQ(step(options, {512, 512, 512, 1024, 128}, {12, 10, 8, 12, 8}),
            (Batches{544, 512, 480, 1024, 128}));
  options.rule = BatchRule::Proportional;
  EXPECT_EQ(step(options, {512, 512}, {15, 5}), (Batches{640, 384}));
  options.rule = BatchRule::Fixed;
  EXPECT_EQ(step(options, {512, 512}, {15, 5}), (Batches{512, 512}));
}

TEST(AdaptiveScaling, NothingToLearnFrom) {
  EXPECT_EQ(step({}, {512, 256}, {0, 0}), (Batches{512, 256}));
  EXPECT_EQ(step({}, {}, {}), Batches());
}

TEST(AdaptiveScaling, DealsWholeQuanta) {
  BatchScalingOptions options;
  EXPECT_EQ(dealtBatch(options, 528), 544); // half rounds up
  EXPECT_EQ(dealtBatch(options, 527.9), 512);
  EXPECT_EQ(dealtBatch(options, 128), 128);
  EXPECT_EQ(dealtBatch(options, 1024), 1024);
}

TEST(AdaptiveScaling, OptionsAreChecked) {
  EXPECT_TRUE(BatchScalingOptions().validate());
  auto refused = [](auto change) {
    BatchScalingOptions options;
    change(options);
    return !options.validate();
  };
  EXPECT_TRUE(refused([](auto &o) { o.quantum = 0; }));
  EXPECT_TRUE(refused([](auto &o) { o.quantum = 48; }));
  EXPECT_TRUE(refused([](auto &o) { o.maxBatch = 0; }));
  EXPECT_TRUE(refused([](auto &o) { o.maxBatch = INT64_MAX; }));
  EXPECT_TRUE(refused([](auto &o) { o.minBatch = 2048; }));
  EXPECT_TRUE(refused([](auto &o) { o.guard = false; }));
  EXPECT_TRUE(refused([](auto &o) { o.gain = NAN; }));
  EXPECT_TRUE(refused([](auto &o) { o.rate = 2; }));
}
