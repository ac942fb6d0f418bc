// dynamic.ramp against the values that the method's description states.
#include "policy/dynamic_ramp.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace rubato::policy;

static double next(DynamicRamp &ramp, int64_t members) {
  DynamicRamp::Factor answer;
  EXPECT_TRUE(ramp.factor(members, answer));
  EXPECT_FALSE(answer.resetMomentum);
  return answer.factor;
}

TEST(DynamicRamp, FixedLengthRow) {
  DynamicRampOptions options;
  options.length = 8;
  DynamicRamp ramp(options);
  EXPECT_EQ(next(ramp, 2), 1);
  for (double expected :
       {1.0, 1.375, 1.75, 2.125, 2.5, 2.875, 3.25, 3.625, 4.0, 4.0, 4.0})
    EXPECT_EQ(next(ramp, 8), expected);
}

TEST(DynamicRamp, DefaultLengthFollowsTheGrowth) {
  DynamicRamp ramp({});
  next(ramp, 1);
  for (int j = 0; j <= 40; ++j) {
    double c = next(ramp, 4);
    EXPECT_EQ(c, j < 32 ? 1 + 3 * j / 32.0 : 4) << j;
    if (j == 1)
      EXPECT_EQ(c, 1.09375);
    if (j == 16)
      EXPECT_EQ(c, 2.5);
  }
}

TEST(DynamicRamp, ShrinksAtOnce) {
  DynamicRamp ramp({});
  next(ramp, 4);
  EXPECT_EQ(next(ramp, 2), 0.5);
  EXPECT_EQ(next(ramp, 2), 0.5);
}

TEST(DynamicRamp, NestedRampStartsAtTheCurrentFactor) {
  DynamicRamp ramp({});
  next(ramp, 2);
  double last = 0;
  for (int j = 0; j < 32; ++j)
    last = next(ramp, 16);
  EXPECT_EQ(last, 4.390625);
  double growth = 16 / last;
  EXPECT_NEAR(growth, 3.6441, 5e-5);
  for (int j = 0; j < 40; ++j) {
    double c = next(ramp, 32);
    if (j == 0)
      EXPECT_EQ(c, 4.390625);
    if (j < 29)
      EXPECT_NEAR(c, 4.390625 * (1 + j / 29.0 * (growth - 1)), 1e-12);
    else
      EXPECT_EQ(c, 16) << j;
    if (j == 28)
      EXPECT_LT(c, 16);
  }
}

TEST(DynamicRamp, ShrinkDuringARampFallsToTheNewTarget) {
  DynamicRamp ramp({});
  next(ramp, 2);
  for (int j = 0; j < 60; ++j)
    next(ramp, 16);
  EXPECT_EQ(next(ramp, 4), 2);
  EXPECT_EQ(next(ramp, 4), 2);
}

TEST(DynamicRamp, SameCountIsNotAResize) {
  DynamicRampOptions options;
  options.length = 2;
  DynamicRamp ramp(options);
  next(ramp, 2);
  EXPECT_EQ(next(ramp, 4), 1);
  EXPECT_EQ(next(ramp, 4), 1.5);
  EXPECT_EQ(next(ramp, 4), 2);
}

TEST(DynamicRamp, RoundsHalfUp) {
  // Growth 5 at half an update per unit: 2.5 updates are 3.
  DynamicRampOptions options;
  options.perRatio = 0.5;
  DynamicRamp ramp(options);
  next(ramp, 1);
  for (double expected : {1.0, 1 + 4 / 3.0, 1 + 8 / 3.0, 5.0})
    EXPECT_NEAR(next(ramp, 5), expected, 1e-15);
}

TEST(DynamicRamp, BaseCountAndCeiling) {
  DynamicRampOptions options;
  options.baseMembers = 4;
  options.maxFactor = 3;
  options.length = 0;
  DynamicRamp ramp(options);
  EXPECT_EQ(next(ramp, 2), 0.5);
  EXPECT_EQ(next(ramp, 8), 2);
  EXPECT_EQ(next(ramp, 64), 3);
}

TEST(DynamicRamp, OtherRules) {
  DynamicRampOptions options;
  options.rule = ResizeRule::Immediate;
  DynamicRamp immediate(options);
  next(immediate, 1);
  EXPECT_EQ(next(immediate, 8), 8);

  options.rule = ResizeRule::Unscaled;
  DynamicRamp unscaled(options);
  next(unscaled, 1);
  EXPECT_EQ(next(unscaled, 8), 1);

  options.rule = ResizeRule::Reset;
  DynamicRamp reset(options);
  next(reset, 1);
  DynamicRamp::Factor answer;
  ASSERT_TRUE(reset.factor(8, answer));
  EXPECT_EQ(answer.factor, 8);
  EXPECT_TRUE(answer.resetMomentum);
  EXPECT_EQ(next(reset, 8), 8); // and momentum is not reset again
}

TEST(DynamicRamp, RampsOfShrinks) {
  for (auto [shrink, length] :
       {std::pair(ShrinkRamp::Ratio, 4), std::pair(ShrinkRamp::Inverse, 16)}) {
    DynamicRampOptions options;
    options.shrink = shrink;
    DynamicRamp ramp(options);
    next(ramp, 2);
    for (int j = 0; j < 20; ++j)
      EXPECT_DOUBLE_EQ(next(ramp, 1), j < length ? 1 - 0.5 * j / length : 0.5);
  }
}

TEST(DynamicRamp, MomentumSetsTheRamp) {
  EXPECT_NEAR(DynamicRampOptions::perRatioFor(0.9), 8, 1e-12);
  EXPECT_NEAR(DynamicRampOptions::perRatioFor(0.99), 80, 1e-10);
}

TEST(DynamicRamp, SavedStateGoesOnInMidRamp) {
  for (int stop = 0; stop < 60; ++stop) {
    DynamicRamp ramp({});
    auto members = [](int j) { return j == 0 ? 2 : j < 33 ? 16 : 32; };
    for (int j = 0; j < stop; ++j)
      next(ramp, members(j));
    StateWriter out;
    ramp.save(out);
    DynamicRamp joiner({});
    StateReader in(out.bytes());
    ASSERT_TRUE(joiner.load(in));
    EXPECT_TRUE(in.atEnd());
    for (int j = stop; j < 80; ++j)
      ASSERT_EQ(next(joiner, members(j)), next(ramp, members(j)));
  }
}

TEST(DynamicRamp, DamagedStateIsRefusedAndChangesNothing) {
  DynamicRamp ramp({});
  next(ramp, 2);
  next(ramp, 4);
  double before = next(ramp, 4);
  StateWriter out;
  ramp.save(out);
  for (size_t cut = 0; cut < out.bytes().size(); ++cut) {
    StateReader in(std::string_view(out.bytes()).substr(0, cut));
    EXPECT_FALSE(ramp.load(in));
  }
  EXPECT_GT(next(ramp, 4), before);
}

TEST(DynamicRamp, AnswersThroughItsEntry) {
  DynamicRamp ramp({});
  ASSERT_EQ(ramp.entries().size(), 1u);
  EXPECT_EQ(ramp.placement(), Placement::Replicated);
  Value in[] = {int64_t(3)}, out[2] = {};
  ASSERT_TRUE(ramp.ask("factor", {}, in, out));
  EXPECT_EQ(std::get<double>(out[0]), 1);
  EXPECT_EQ(std::get<bool>(out[1]), false);

  Value wrong[] = {3.0}, none[] = {int64_t(0)};
  EXPECT_FALSE(ramp.ask("factor", {}, wrong, out));
  EXPECT_FALSE(ramp.ask("factor", {}, none, out));
  EXPECT_FALSE(ramp.ask("ramp", {}, in, out));
}

TEST(DynamicRamp, OptionsAreChecked) {
  EXPECT_TRUE(DynamicRampOptions().validate());
  DynamicRampOptions options;
  options.length = -2;
  EXPECT_FALSE(options.validate());
  options = {};
  options.perRatio = NAN;
  EXPECT_FALSE(options.validate());
  options = {};
  options.maxFactor = 0;
  EXPECT_FALSE(options.validate());
  options = {};
  options.baseMembers = -1;
  EXPECT_FALSE(options.validate());
}
