// Single steps of the staleness rule, its configurations, errors and state.
#include "policy/staleness_rule.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace rubato;
using namespace rubato::policy;

namespace {

struct Answer {
  int64_t count, bound;
  bool go;
};

int64_t start(StalenessRule &rule, int64_t alive) {
  Value in[] = {alive}, out[2];
  EXPECT_TRUE(rule.ask("start", {}, in, out));
  return std::get<int64_t>(out[0]);
}

Answer round(StalenessRule &rule, double loss, int64_t alive = 20,
             int64_t participants = 2, int64_t samples = 0, int64_t stop = 0) {
  Value in[] = {loss, participants, alive, samples, stop}, out[3];
  Status asked = rule.ask("round", {}, in, out);
  EXPECT_TRUE(asked) << asked.message();
  return {std::get<int64_t>(out[0]), std::get<int64_t>(out[1]),
          std::get<bool>(out[2])};
}

/// No memory and a known initial loss of one, so that the loss is 1 / ratio.
StalenessOptions plain(int64_t k0) {
  StalenessOptions options;
  options.k0 = k0;
  options.smoothing = 0;
  options.initialLoss = 1;
  return options;
}

} // namespace

TEST(StalenessRule, CountFollowsTheRootOfTheLossRatio) {
  const std::pair<double, int64_t> steps[] = {{1, 2}, {2, 3},    {4, 4},
                                              {9, 6}, {100, 20}, {1000, 20}};
  for (auto [ratio, count] : steps) {
    StalenessRule rule(plain(2));
    start(rule, 20);
    EXPECT_EQ(round(rule, 1 / ratio).count, count) << ratio;
  }
  // A loss of zero or below asks for everybody, not for the impossible.
  for (double loss : {0.0, -3.0}) {
    StalenessRule rule(plain(2));
    start(rule, 20);
    EXPECT_EQ(round(rule, loss).count, 20);
  }
}

TEST(StalenessRule, CountNeverFalls) {
  StalenessOptions options = plain(2);
  options.guard = false;
  StalenessRule rule(options);
  start(rule, 20);
  EXPECT_EQ(round(rule, 1 / 12.25).count, 7);
  EXPECT_EQ(round(rule, 1).count, 7);
  // Not even when workers die; then the bound counts those alive.
  Answer few = round(rule, 1, 3);
  EXPECT_EQ(few.count, 7);
  EXPECT_EQ(few.bound, 1);
}

TEST(StalenessRule, GuardAddsHalf) {
  const std::pair<int64_t, int64_t> steps[] = {{1, 2}, {2, 3},  {3, 4},
                                               {4, 6}, {7, 10}, {15, 20}};
  for (auto [before, after] : steps) {
    StalenessRule rule(plain(before));
    EXPECT_EQ(start(rule, 20), before);
    EXPECT_EQ(round(rule, 1.2).count, before) << "not above the ratio";
    EXPECT_EQ(round(rule, 1.2001).count, after);
    // The smallest loss was lifted, so the same loss does not fire again.
    EXPECT_EQ(round(rule, 1.2001).count, after);
  }
}

TEST(StalenessRule, BoundFollowsTheCount) {
  const int64_t counts[] = {1, 2, 3, 4, 5, 9, 10, 20};
  const int64_t half[] = {9, 4, 3, 2, 1, 1, 1, 1};
  const int64_t whole[] = {19, 9, 6, 4, 3, 2, 1, 1};
  StalenessOptions options;
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(StalenessRule(options).bound(counts[i], 20), half[i]);
  options.alpha = 1;
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(StalenessRule(options).bound(counts[i], 20), whole[i]);
  // Whole quotients stay whole whatever the rounding: 0.07 * 300 / 3 = 7.
  options.alpha = 0.07;
  EXPECT_EQ(StalenessRule(options).bound(3, 300), 6);
  options.boundFloor = 8;
  EXPECT_EQ(StalenessRule(options).bound(3, 300), 8);
  // With fewer alive than the count, those alive stand for the count.
  options = {};
  options.alpha = 4;
  EXPECT_EQ(StalenessRule(options).bound(7, 3), 3);
  options.alpha = 1e300;
  EXPECT_EQ(StalenessRule(options).bound(3, 300), unbounded);
  EXPECT_EQ(StalenessRule(options).bound(5, 0), unbounded);
}

TEST(StalenessRule, FirstCountIsATenth) {
  const std::pair<int64_t, int64_t> steps[] = {{1, 1},  {4, 1},  {14, 1},
                                               {15, 2}, {20, 2}, {256, 26}};
  for (auto [alive, count] : steps) {
    StalenessRule rule({});
    EXPECT_EQ(start(rule, alive), count) << alive;
  }
}

TEST(StalenessRule, ALossBeforeTrainingIsTheInitialOne) {
  auto startAt = [](StalenessRule &rule, double loss) {
    Value in[] = {int64_t{20}, loss}, out[2];
    return rule.ask("start_at", {}, in, out);
  };
  StalenessOptions options;
  options.k0 = 2;
  options.smoothing = 0;
  StalenessRule rule(options);
  ASSERT_TRUE(startAt(rule, 8));
  // No reports are waited for: the first round knows the ratio of 4 …
  EXPECT_EQ(round(rule, 2, 20, 1).count, 4);
  // … and the guard the smallest loss.
  EXPECT_EQ(round(rule, 2.5, 20, 1).count, 6);
  // What the options say is stronger.
  options.initialLoss = 18;
  StalenessRule told(options);
  ASSERT_TRUE(startAt(told, 8));
  EXPECT_EQ(round(told, 2, 20, 1).count, 6);
  // After a resume F0 is the old one.
  ASSERT_TRUE(startAt(rule, 100));
  EXPECT_EQ(rule.state().reported, 8);
  Status failed = startAt(rule, std::nan(""));
  EXPECT_EQ(failed.code(), ErrorCode::Numeric);
}

TEST(StalenessRule, FixedConfigurations) {
  struct Case {
    int64_t k0;
    std::optional<int64_t> bound;
    int64_t count, limit;
  };
  const Case cases[] = {
      {everyone, unbounded, 20, unbounded}, // synchronous
      {5, 0, 5, 0},                         // everybody restarts
      {5, unbounded, 5, unbounded},         // nobody restarts
      {1, unbounded, 1, unbounded},         // every upload is a round
      {5, std::nullopt, 5, 1},              // bound without adaptation
  };
  for (const Case &c : cases) {
    StalenessOptions options;
    options.k0 = c.k0;
    options.bound = c.bound;
    options.adapt = options.guard = false;
    StalenessRule rule(options);
    EXPECT_EQ(start(rule, 20), c.count);
    for (double loss : {1.0, 0.01, 100.0}) {
      Answer answer = round(rule, loss);
      EXPECT_EQ(answer.count, c.count);
      EXPECT_EQ(answer.bound, c.limit);
    }
  }
}

TEST(StalenessRule, InitialLossIsTheMeanOfTheFirstReports) {
  StalenessOptions options;
  options.k0 = 2;
  options.smoothing = 0;
  StalenessRule rule(options);
  start(rule, 4);
  // Three reports of 3, then one of two of 7: (3 * 3 + 7) / 4 = 4. Until then
  // neither the ratio nor the guard speaks.
  EXPECT_EQ(round(rule, 3, 20, 2).count, 2);
  EXPECT_EQ(round(rule, 3, 20, 1).count, 2);
  round(rule, 7, 20, 2);
  EXPECT_DOUBLE_EQ(rule.state().reported, 4);
  // The guard fired in that round: 7 > 1.2 * 4.
  EXPECT_EQ(rule.state().count, 3);
  EXPECT_EQ(round(rule, 0.25).count, 8); // 2 * sqrt(4 / 0.25)
}

TEST(StalenessRule, LossFloorAndGrowthCap) {
  StalenessOptions options = plain(2);
  options.initialLoss = 10;
  options.lossFloor = 1;
  StalenessRule floor(options);
  start(floor, 20);
  EXPECT_EQ(round(floor, 2).count, 6); // ratio 9 / 1

  options = plain(2);
  options.capGrowth = true;
  StalenessRule capped(options);
  start(capped, 20);
  for (int64_t count : {4, 7, 11, 17, 20, 20})
    EXPECT_EQ(round(capped, 1e-6).count, count);
}

TEST(StalenessRule, EndsBySamplesTargetOrRequest) {
  StalenessOptions options = plain(1);
  options.maxSamples = 100;
  options.targetLoss = 0.5;
  StalenessRule rule(options);
  start(rule, 20);
  EXPECT_TRUE(round(rule, 1, 20, 2, 99).go);
  EXPECT_FALSE(round(rule, 1, 20, 2, 100).go);
  EXPECT_FALSE(round(rule, 0.5, 20, 2, 0).go);
  EXPECT_FALSE(round(rule, 1, 20, 2, 0, 1).go);
}

TEST(StalenessRule, RefusesWrongQuestions) {
  StalenessRule rule({});
  Value one[] = {int64_t{4}}, out[3];
  EXPECT_EQ(rule.ask("finish", {}, one, std::span(out, 2)).code(),
            ErrorCode::User);
  EXPECT_FALSE(rule.ask("start", {}, one, std::span(out, 3)));
  Value real[] = {4.0}, none[] = {int64_t{0}};
  EXPECT_FALSE(rule.ask("start", {}, real, std::span(out, 2)));
  EXPECT_FALSE(rule.ask("start", {}, none, std::span(out, 2)));
  Value five[] = {1.0, int64_t{1}, int64_t{4}, int64_t{0}, int64_t{0}};
  EXPECT_FALSE(rule.ask("round", {}, five, out)) << "before start";
  start(rule, 4);
  EXPECT_TRUE(rule.ask("round", {}, five, out));
  auto before = rule.state();
  five[0] = std::nan("");
  EXPECT_EQ(rule.ask("round", {}, five, out).code(), ErrorCode::Numeric);
  five[0] = 1.0;
  five[1] = int64_t{0};
  EXPECT_FALSE(rule.ask("round", {}, five, out));
  EXPECT_EQ(rule.state(), before);
}

TEST(StalenessRule, RefusesSenselessOptions) {
  EXPECT_TRUE(StalenessOptions{}.check());
  auto refused = [](auto change) {
    StalenessOptions options;
    change(options);
    return !options.check();
  };
  EXPECT_TRUE(refused([](auto &o) { o.k0 = 0; }));
  EXPECT_TRUE(refused([](auto &o) { o.bound = -1; }));
  EXPECT_TRUE(refused([](auto &o) { o.alpha = std::nan(""); }));
  EXPECT_TRUE(refused([](auto &o) { o.boundFloor = -1; }));
  EXPECT_TRUE(refused([](auto &o) { o.guardRatio = 1; }));
  EXPECT_TRUE(refused([](auto &o) { o.smoothing = 1; }));
  EXPECT_TRUE(refused([](auto &o) { o.initialLoss = INFINITY; }));
  EXPECT_TRUE(refused([](auto &o) { o.lossFloor = std::nan(""); }));
  EXPECT_TRUE(refused([](auto &o) { o.maxSamples = 0; }));
  EXPECT_TRUE(refused([](auto &o) { o.targetLoss = std::nan(""); }));
}

TEST(StalenessRule, SavedStateGoesOnAndRefusesDamage) {
  // Once before the initial loss is known and once after.
  for (int rounds : {0, 3, 30}) {
    StalenessRule rule({}), other({});
    start(rule, 20);
    for (int i = 0; i < rounds; ++i)
      round(rule, 5.0 / (1 + i));
    StateWriter out;
    rule.save(out);
    for (size_t cut = 0; cut < out.bytes().size(); ++cut) {
      StateReader in(std::string_view(out.bytes()).substr(0, cut));
      EXPECT_FALSE(other.load(in));
    }
    StateReader in(out.bytes());
    ASSERT_TRUE(other.load(in));
    EXPECT_TRUE(in.atEnd());
    // A resumed program asks `start` again; the count must not fall back.
    EXPECT_EQ(start(other, 20), rule.state().count);
    EXPECT_EQ(other.state(), rule.state());
    for (int i = 0; i < 30; ++i)
      EXPECT_EQ(round(rule, 1.0 / (1 + i)).count,
                round(other, 1.0 / (1 + i)).count);
  }
  StateWriter bad;
  for (int i = 0; i < 8; ++i)
    bad.i64(-1);
  StateReader in(bad.bytes());
  StalenessRule rule({});
  EXPECT_FALSE(rule.load(in));
}
