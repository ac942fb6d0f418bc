// Merge weights against the values that the method's description states.
#include "policy/adaptive_weights.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace rubato::policy;

using Counts = std::vector<int64_t>;

static void expectWeights(const MergeWeights &weights,
                          std::vector<double> expected, double sum) {
  ASSERT_EQ(weights.alpha.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(weights.alpha[i], expected[i], 5e-5) << i;
  EXPECT_NEAR(weights.sum, sum, 1e-12);
  double total = 0;
  for (double alpha : weights.alpha)
    total += alpha;
  EXPECT_NEAR(total, weights.sum, 1e-12);
}

static const Counts uneven = {12, 12, 9, 7}, equal = {12, 12, 12, 12};
static const Counts same = {128, 128, 128, 128}, scaled = {128, 128, 98, 74};

TEST(AdaptiveWeights, ByUpdates) {
  expectWeights(mergeWeights({}, uneven, same, false), {.3, .3, .225, .175}, 1);
}

TEST(AdaptiveWeights, Perturbed) {
  MergeWeightOptions options;
  options.renormalise = false;
  expectWeights(mergeWeights(options, uneven, same, true),
                {.33, .3, .225, .1575}, 1.0125);
}

TEST(AdaptiveWeights, PerturbedAndRenormalised) {
  expectWeights(mergeWeights({}, uneven, same, true),
                {.3259, .2963, .2222, .1556}, 1);
}

TEST(AdaptiveWeights, ByBatchWhereUpdatesAreEqual) {
  // Equal counts are never perturbed.
  expectWeights(mergeWeights({}, equal, scaled, true),
                {.2991, .2991, .2290, .1729}, 1);
}

TEST(AdaptiveWeights, OtherWeightings) {
  MergeWeightOptions options;
  options.weighting = Weighting::Updates;
  expectWeights(mergeWeights(options, equal, scaled, true),
                {.25, .25, .25, .25}, 1);
  options.weighting = Weighting::Uniform;
  expectWeights(mergeWeights(options, uneven, scaled, true),
                {.25, .25, .25, .25}, 1);
}

TEST(AdaptiveWeights, IdleReplicasDoNotCount) {
  expectWeights(mergeWeights({}, Counts{0, 5, 5}, Counts{64, 96, 32}, true),
                {0, .75, .25}, 1);
  expectWeights(mergeWeights({}, Counts{0, 0}, Counts{96, 32}, true),
                {.75, .25}, 1);
  expectWeights(mergeWeights({}, Counts{3}, Counts{32}, true), {1}, 1);
}

TEST(AdaptiveWeights, NormsGateThePerturbation) {
  MergeWeightOptions options;
  options.dimension = 100;
  using Norms = std::vector<double>;
  EXPECT_TRUE(normGateOpen(options, Norms{9.9, 1}));
  EXPECT_FALSE(normGateOpen(options, Norms{9.9, 10}));
  EXPECT_FALSE(normGateOpen(options, Norms{1, NAN}));
}

TEST(AdaptiveWeights, OptionsAreChecked) {
  EXPECT_TRUE(MergeWeightOptions().validate());
  MergeWeightOptions options;
  options.perturbation = 1;
  EXPECT_FALSE(options.validate());
  options = {};
  options.dimension = 0;
  EXPECT_FALSE(options.validate());
}
