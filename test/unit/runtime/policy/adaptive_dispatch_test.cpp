// adaptive.dispatch: exactly-once rows and answers, deaths, joins.
#include "policy/adaptive_dispatch.h"
#include "policy/ask.h"

#include <gtest/gtest.h>

#include <map>

using namespace rubato::policy;

static const std::vector<int64_t> three = {0, 1, 2};

/// Batches of 10, merges after 60 samples, fixed sizes.
static AdaptiveOptions small() {
  AdaptiveOptions options;
  options.scaling.rule = BatchRule::Fixed;
  options.scaling.maxBatch = options.scaling.minBatch = 10;
  options.scaling.quantum = 1;
  options.megaBatch = 60;
  return options;
}

namespace {
/// Asks with call numbers of its own.
struct Members {
  AdaptiveDispatch &dispatch;
  std::map<int64_t, int64_t> calls = {};

  AdaptiveClaim claim(int64_t member, int64_t updates) {
    std::optional<AdaptiveClaim> answer;
    EXPECT_TRUE(dispatch.claim({member, ++calls[member]}, updates, answer));
    EXPECT_TRUE(answer.has_value());
    return answer.value_or(AdaptiveClaim());
  }
  std::optional<AdaptiveWeight> weight(int64_t member, int64_t updates) {
    std::optional<AdaptiveWeight> answer;
    EXPECT_TRUE(dispatch.weight({member, ++calls[member]}, updates, 0, answer));
    return answer;
  }
  std::optional<AdaptiveWeight> weightAgain(int64_t member) {
    std::optional<AdaptiveWeight> answer;
    EXPECT_TRUE(dispatch.weight({member, calls[member]}, 0, 0, answer));
    return answer;
  }
};
} // namespace

TEST(AdaptiveDispatch, DealsTheStreamInOrder) {
  AdaptiveDispatch dispatch(small(), three);
  Members members{dispatch};
  EXPECT_EQ(members.claim(2, 0), (AdaptiveClaim{{0, 10}, 0, true}));
  EXPECT_EQ(members.claim(0, 0), (AdaptiveClaim{{10, 20}, 10, true}));
  EXPECT_EQ(members.claim(2, 1), (AdaptiveClaim{{20, 30}, 20, true}));
  EXPECT_EQ(members.claim(2, 2), (AdaptiveClaim{{30, 40}, 30, true}));
  EXPECT_EQ(members.claim(0, 1), (AdaptiveClaim{{40, 50}, 40, true}));
  EXPECT_EQ(members.claim(1, 0), (AdaptiveClaim{{50, 60}, 50, true}));
  EXPECT_FALSE(members.claim(0, 2).more);
  EXPECT_FALSE(members.claim(1, 1).more);
  EXPECT_FALSE(members.claim(2, 3).more);
  // Weights come when all have reported: 2, 1 and 3 of 6, not perturbed by
  // more than a renormalised tenth.
  EXPECT_FALSE(members.weight(0, 2));
  EXPECT_FALSE(members.weight(1, 1));
  EXPECT_FALSE(members.weightAgain(0));
  auto last = members.weight(2, 3);
  ASSERT_TRUE(last);
  double sum = 1 + 0.1 * (3 - 1) / 6.0;
  EXPECT_NEAR(last->alpha, 0.55 / sum, 1e-12);
  EXPECT_NEAR(members.weightAgain(0)->alpha, 2 / 6.0 / sum, 1e-12);
  EXPECT_NEAR(members.weightAgain(1)->alpha, 0.15 / sum, 1e-12);
  EXPECT_EQ(last->sum, 1);
  // The next mega-batch goes on where this one ended.
  EXPECT_EQ(members.claim(1, 0), (AdaptiveClaim{{60, 70}, 60, true}));
}

TEST(AdaptiveDispatch, RepeatedQuestionsGetTheRecordedAnswer) {
  AdaptiveDispatch dispatch(small(), three);
  std::optional<AdaptiveClaim> first, again;
  ASSERT_TRUE(dispatch.claim({0, 7}, 0, first));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(dispatch.claim({0, 7}, 0, again));
    EXPECT_EQ(*again, *first);
  }
  Members members{dispatch};
  EXPECT_EQ(members.claim(1, 0).rows.begin, 10); // nothing was dealt twice
  // Old calls, and one call for two questions, are errors of the program.
  EXPECT_FALSE(dispatch.claim({0, 6}, 0, again));
  EXPECT_FALSE(again);
  std::optional<AdaptiveWeight> weight;
  EXPECT_FALSE(dispatch.weight({0, 7}, 1, 0, weight));
}

TEST(AdaptiveDispatch, WeightCanBeFetchedWhenOthersHaveGoneOn) {
  AdaptiveDispatch dispatch(small(), std::vector<int64_t>{0, 1});
  Members members{dispatch};
  members.claim(0, 0);
  EXPECT_FALSE(members.weight(0, 1));
  ASSERT_TRUE(members.weight(1, 0));
  members.claim(1, 0);
  members.claim(1, 1);
  ASSERT_TRUE(members.weightAgain(0));
  EXPECT_EQ(members.weightAgain(0)->alpha, 1); // member 1 made no update
}

TEST(AdaptiveDispatch, CountsMustAgree) {
  AdaptiveDispatch dispatch(small(), three);
  Members members{dispatch};
  members.claim(0, 0);
  std::optional<AdaptiveClaim> claim;
  EXPECT_FALSE(dispatch.claim({0, 9}, 0, claim));
  EXPECT_FALSE(dispatch.claim({0, 9}, 2, claim));
  EXPECT_FALSE(dispatch.claim({5, 0}, 0, claim)); // not a member
  EXPECT_TRUE(dispatch.claim({0, 9}, 1, claim));
  EXPECT_EQ(claim->rows, (RowRange{10, 20}));
}

TEST(AdaptiveDispatch, DeathReturnsTheUnacknowledgedRangeOnce) {
  AdaptiveDispatch dispatch(small(), three);
  Members members{dispatch};
  members.claim(0, 0);                                     // 0 to 10
  members.claim(1, 0);                                     // 10 to 20
  EXPECT_EQ(members.claim(1, 1).rows, (RowRange{20, 30})); // 10 to 20 done
  EXPECT_TRUE(dispatch.leave(1));
  EXPECT_TRUE(dispatch.leave(1));
  EXPECT_EQ(members.claim(2, 0), (AdaptiveClaim{{20, 30}, 20, true}));
  EXPECT_EQ(members.claim(2, 1).rows, (RowRange{30, 40}));
  EXPECT_EQ(members.claim(2, 2).rows, (RowRange{40, 50}));
  EXPECT_EQ(members.claim(2, 3).rows, (RowRange{50, 60}));
  EXPECT_FALSE(members.claim(2, 4).more);
  EXPECT_FALSE(members.claim(0, 1).more);
  // Nobody waits for the dead, and the survivors' weights add up to 1.
  EXPECT_FALSE(members.weight(2, 4));
  auto weight = members.weight(0, 1);
  ASSERT_TRUE(weight);
  EXPECT_NEAR(weight->alpha + members.weightAgain(2)->alpha, 1, 1e-12);
}

TEST(AdaptiveDispatch, DeathOfTheLastToReportEndsTheMegaBatch) {
  AdaptiveDispatch dispatch(small(), three);
  Members members{dispatch};
  members.claim(2, 0);
  members.claim(0, 0);
  EXPECT_FALSE(members.weight(0, 1));
  EXPECT_FALSE(members.weight(1, 0));
  EXPECT_TRUE(dispatch.leave(2));
  EXPECT_EQ(members.weightAgain(0)->alpha, 1);
  EXPECT_EQ(members.weightAgain(1)->alpha, 0);
  // What came back too late for this mega-batch comes first in the next.
  EXPECT_EQ(members.claim(1, 0).rows, (RowRange{0, 10}));
}

TEST(AdaptiveDispatch, JoinersWaitForTheNextMegaBatch) {
  AdaptiveOptions options = small();
  options.scaling.rule = BatchRule::Linear;
  options.scaling.minBatch = 2;
  options.scaling.gain = 1;
  options.scaling.guard = false;
  options.discarded = 0;
  AdaptiveDispatch dispatch(options, std::vector<int64_t>{0, 1});
  Members members{dispatch};
  EXPECT_TRUE(dispatch.join(7)); // between mega-batches: at once
  EXPECT_FALSE(dispatch.join(7));
  EXPECT_TRUE(members.claim(7, 0).more);
  EXPECT_TRUE(dispatch.join(5));
  std::optional<AdaptiveClaim> claim;
  ASSERT_TRUE(dispatch.claim({5, 0}, 0, claim));
  EXPECT_FALSE(claim);
  std::optional<AdaptiveWeight> weight;
  EXPECT_FALSE(dispatch.weight({5, 0}, 0, 0, weight));

  for (int64_t i = 0; i < 4; ++i)
    members.claim(0, i);
  EXPECT_FALSE(members.weight(0, 4));
  EXPECT_FALSE(members.weight(1, 0));
  EXPECT_TRUE(members.weight(7, 1)); // u 4, 0, 1: b 10, 8.33, 9.33
  ASSERT_TRUE(dispatch.claim({5, 0}, 0, claim));
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->rows.size(), 9);
  EXPECT_EQ(members.claim(1, 0).rows.size(), 8);
}

TEST(AdaptiveDispatch, EverybodyMayDie) {
  AdaptiveDispatch dispatch(small(), three);
  Members members{dispatch};
  for (int64_t member : three)
    members.claim(member, 0);
  for (int64_t member : three)
    EXPECT_TRUE(dispatch.leave(member));
  EXPECT_TRUE(dispatch.members().empty());
  ASSERT_TRUE(dispatch.join(4));
  EXPECT_EQ(members.claim(4, 0), (AdaptiveClaim{{0, 10}, 0, true}));
}

TEST(AdaptiveDispatch, WarmUpHoldsBatchesAndWeights) {
  AdaptiveOptions options;
  options.scaling.minBatch = 32;
  options.megaBatch = 128;
  options.warmupSamples = 200;
  options.discarded = 0;
  AdaptiveDispatch dispatch(options, std::vector<int64_t>{0, 1});
  Members members{dispatch};
  for (int mega = 0; mega < 2; ++mega) {
    for (int64_t i = 0; i < 3; ++i)
      EXPECT_EQ(members.claim(0, i).rows.size(), 32);
    EXPECT_EQ(members.claim(1, 0).rows.size(), 32);
    members.weight(0, 3);
    EXPECT_NEAR(members.weight(1, 1)->alpha, 0.25, 1e-12); // not perturbed
  }
  EXPECT_EQ(members.claim(0, 0).rows.size(), 1024);
}

TEST(AdaptiveDispatch, AsksThroughEntries) {
  AdaptiveDispatch dispatch(small(), std::vector<int64_t>{0, 1});
  Value none[] = {int64_t(0)}, claim[4], weight[2];
  ASSERT_TRUE(dispatch.ask("claim", {0, 0}, none, claim));
  EXPECT_EQ(std::get<int64_t>(claim[1]), 10);
  EXPECT_TRUE(std::get<bool>(claim[3]));
  Value report[] = {int64_t(1), 0.5}, idle[] = {int64_t(0), 0.5};
  auto status = dispatch.ask("weight", {0, 1}, report, weight);
  EXPECT_FALSE(status);
  EXPECT_TRUE(isPending(status));
  ASSERT_TRUE(dispatch.ask("weight", {1, 0}, idle, weight));
  ASSERT_TRUE(dispatch.ask("weight", {0, 1}, report, weight));
  EXPECT_EQ(std::get<double>(weight[0]), 1);
  EXPECT_EQ(std::get<double>(weight[1]), 1);

  status = dispatch.ask("claim", {0, 2}, report, claim);
  EXPECT_FALSE(status);
  EXPECT_FALSE(isPending(status));
  EXPECT_FALSE(dispatch.ask("merge", {0, 2}, none, claim));
}
