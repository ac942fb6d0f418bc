// balance.shares: rounds, measurements, deaths and newcomers.
#include "policy/balance_shares.h"

#include "policy/ask.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

using namespace rubato;
using namespace rubato::policy;
using Answer = std::optional<RowRange>;

namespace {
/// Members of given speeds that work for the policy.
struct Cluster {
  Cluster(BalanceOptions options, std::map<int64_t, double> speeds)
      : speeds(std::move(speeds)) {
    std::vector<int64_t> members;
    for (auto &[member, speed] : this->speeds)
      members.push_back(member);
    EXPECT_TRUE(BalanceShares::create(options, members, policy));
  }

  /// The next question of a member: what it was dealt, at its speed.
  Answer ask(int64_t member) {
    int64_t samples = last[member].size();
    Answer answer;
    Status status =
        policy->share({member, calls[member]}, samples,
                      static_cast<double>(samples) / speeds[member], answer);
    EXPECT_TRUE(status) << status.message();
    return answer;
  }
  /// Fetches the answer to the last question of a member.
  RowRange fetch(int64_t member) {
    Answer answer = ask(member);
    EXPECT_TRUE(answer);
    ++calls[member];
    for (int64_t p = answer->begin; p < answer->end; ++p)
      ++dealt[p];
    return last[member] = *answer;
  }
  std::map<int64_t, RowRange> round() {
    std::map<int64_t, RowRange> result;
    for (auto &[member, speed] : speeds)
      ask(member);
    for (auto &[member, speed] : speeds)
      result[member] = fetch(member);
    return result;
  }
  std::vector<int64_t> sizes() {
    std::vector<int64_t> result;
    for (auto &[member, rows] : round())
      result.push_back(rows.size());
    return result;
  }

  std::map<int64_t, double> speeds;
  std::map<int64_t, int64_t> calls;
  std::map<int64_t, RowRange> last;
  /// How often each position was dealt.
  std::map<int64_t, int> dealt;
  std::unique_ptr<BalanceShares> policy;
};
} // namespace

using Sizes = std::vector<int64_t>;

TEST(BalanceShares, FollowsTheSpeeds) {
  Cluster cluster({.batch = 128}, {{0, 1}, {1, 1}, {2, 2}, {3, 4}});
  auto first = cluster.round();
  EXPECT_EQ(first[0], (RowRange{0, 32}));
  EXPECT_EQ(first[3], (RowRange{96, 128}));
  auto second = cluster.round();
  EXPECT_EQ(second[0], (RowRange{128, 144}));
  EXPECT_EQ(second[1], (RowRange{144, 160}));
  EXPECT_EQ(second[2], (RowRange{160, 192}));
  EXPECT_EQ(second[3], (RowRange{192, 256}));
  EXPECT_EQ(cluster.sizes(), (Sizes{16, 16, 32, 64}));
}

TEST(BalanceShares, AveragesItsMeasurements) {
  Cluster cluster({.batch = 100}, {{0, 1}, {1, 1}});
  EXPECT_EQ(cluster.sizes(), (Sizes{50, 50}));
  EXPECT_EQ(cluster.sizes(), (Sizes{50, 50}));
  // 0.7 * 1 + 0.3 * 5 = 2.2, of 3.2: 68.75. Then 3.04 of 4.04: 75.2475.
  cluster.speeds[1] = 5;
  EXPECT_EQ(cluster.sizes(), (Sizes{31, 69}));
  EXPECT_EQ(cluster.sizes(), (Sizes{25, 75}));
  // With a smoothing of 0 only the last one counts: 5 of 6.
  Cluster quick({.batch = 100, .smoothing = 0}, {{0, 1}, {1, 1}});
  quick.round();
  quick.speeds[1] = 5;
  EXPECT_EQ(quick.sizes(), (Sizes{17, 83}));
}

TEST(BalanceShares, AnswersWhenAllHaveAsked) {
  Cluster cluster({.quantum = 10}, {{3, 1}, {8, 1}});
  EXPECT_EQ(cluster.policy->batch(), 20);
  EXPECT_EQ(cluster.ask(8), std::nullopt);
  EXPECT_EQ(cluster.ask(8), std::nullopt);
  EXPECT_EQ(cluster.ask(3), (RowRange{0, 10}));
  EXPECT_EQ(cluster.ask(3), (RowRange{0, 10}));
  EXPECT_EQ(cluster.ask(8), (RowRange{10, 20}));

  BalanceShares &policy = *cluster.policy;
  Answer answer;
  ASSERT_TRUE(policy.share({8, 1}, 10, 1, answer));
  EXPECT_FALSE(policy.share({8, 0}, 0, 0, answer));  // older
  EXPECT_FALSE(policy.share({8, 2}, 0, 0, answer));  // waits for call 1
  EXPECT_FALSE(policy.share({4, 0}, 0, 0, answer));  // not in the group
  EXPECT_FALSE(policy.share({3, -1}, 0, 0, answer)); // no call number
  EXPECT_FALSE(policy.share({3, 1}, -1, 1, answer));
  EXPECT_FALSE(policy.share({3, 1}, 1, -1, answer));
  EXPECT_FALSE(policy.share({3, 1}, 1, NAN, answer));
  // A time that the clock cannot tell is no measurement.
  ASSERT_TRUE(policy.share({3, 1}, 10, 0, answer));
  EXPECT_EQ(answer, (RowRange{20, 30}));

  std::vector<Value> in = {int64_t(10), 1.0}, out(2);
  EXPECT_TRUE(isPending(policy.ask("share", {3, 2}, in, out)));
  ASSERT_TRUE(policy.ask("share", {8, 2}, in, out));
  EXPECT_EQ(out, (std::vector<Value>{int64_t(50), int64_t(60)}));
  EXPECT_FALSE(policy.ask("claim", {8, 3}, in, out));
}

TEST(BalanceShares, DealsEveryRowOnceThoughOneDies) {
  // 1000 rows in all. The second dies with rows in its hands.
  Cluster cluster({.batch = 128, .totalSamples = 1000},
                  {{0, 1}, {1, 1}, {2, 2}, {3, 4}});
  cluster.round();
  cluster.round();
  auto third = cluster.round();
  EXPECT_EQ(third[1], (RowRange{272, 288}));
  for (int64_t p = 272; p < 288; ++p)
    --cluster.dealt[p]; // never acknowledged
  cluster.ask(0);
  cluster.ask(2);
  EXPECT_EQ(cluster.ask(3), std::nullopt);
  ASSERT_TRUE(cluster.policy->leave(1));
  ASSERT_TRUE(cluster.policy->leave(1));
  cluster.speeds.erase(1);
  // Shares of 1 : 2 : 4, 18.29, 36.57, 73.14. The first takes what came back,
  // one piece of 16.
  EXPECT_EQ(cluster.fetch(0), (RowRange{272, 288}));
  EXPECT_EQ(cluster.fetch(2), (RowRange{384, 421}));
  EXPECT_EQ(cluster.fetch(3), (RowRange{421, 494}));
  EXPECT_EQ(cluster.sizes(), (Sizes{18, 37, 73}));
  int rounds = 0;
  while (cluster.round()[3].size() > 0)
    ASSERT_LT(++rounds, 10);
  // The stream is at its end.
  EXPECT_EQ(cluster.sizes(), (Sizes{0, 0, 0}));
  ASSERT_EQ(cluster.dealt.size(), 1000u);
  for (auto [position, times] : cluster.dealt)
    EXPECT_EQ(times, 1) << position;
}

TEST(BalanceShares, EndsWithAPartialRound) {
  Cluster cluster({.batch = 8, .totalSamples = 18}, {{0, 1}, {1, 1}, {2, 2}});
  EXPECT_EQ(cluster.sizes(), (Sizes{3, 3, 2}));
  EXPECT_EQ(cluster.sizes(), (Sizes{2, 2, 4}));
  // Two for three: quotas 0.5, 0.5, 1.
  EXPECT_EQ(cluster.sizes(), (Sizes{1, 0, 1}));
  EXPECT_EQ(cluster.sizes(), (Sizes{0, 0, 0}));
  // One who dies with the last rows hands them on, even now.
  Cluster other({.batch = 8, .totalSamples = 8}, {{0, 1}, {1, 1}});
  other.round();
  other.ask(0);
  ASSERT_TRUE(other.policy->leave(1));
  EXPECT_EQ(other.fetch(0), (RowRange{4, 8}));
}

TEST(BalanceShares, DealsNothingAgainThatCounts) {
  Cluster cluster({.batch = 8}, {{0, 1}, {1, 1}});
  cluster.round();
  cluster.policy->contributed(1);
  cluster.policy->contributed(5); // unknown members do not matter
  cluster.ask(0);
  ASSERT_TRUE(cluster.policy->leave(1));
  // Not rows 4 to 8.
  EXPECT_EQ(cluster.fetch(0), (RowRange{8, 16}));
}

TEST(BalanceShares, TakesNewcomersAtTheMeanSpeed) {
  Cluster cluster({.batch = 90}, {{0, 1}, {2, 3}});
  cluster.round();
  EXPECT_EQ(cluster.ask(0), std::nullopt);
  ASSERT_TRUE(cluster.policy->join(1));
  cluster.speeds[1] = 2;
  EXPECT_EQ(cluster.ask(2), std::nullopt);
  EXPECT_EQ(cluster.ask(1), (RowRange{105, 135}));
  EXPECT_EQ(cluster.fetch(0).size(), 15);
  EXPECT_EQ(cluster.fetch(1).size(), 30);
  EXPECT_EQ(cluster.fetch(2).size(), 45);
  EXPECT_FALSE(cluster.policy->join(1));
  // A group that has died out goes on with whoever comes.
  for (int64_t member : {0, 1, 2})
    ASSERT_TRUE(cluster.policy->leave(member));
  ASSERT_TRUE(cluster.policy->join(7));
  Answer answer;
  ASSERT_TRUE(cluster.policy->share({7, 0}, 0, 0, answer));
  EXPECT_EQ(answer, (RowRange{90, 105}));
}

TEST(BalanceShares, WithADelayNobodyWaitsForTheRoundInProgress) {
  Cluster cluster({.batch = 16, .delay = 1}, {{0, 1}, {1, 3}});
  // The first round is dealt from the start, the second when all have asked
  // for the first.
  EXPECT_EQ(cluster.fetch(1), (RowRange{8, 16}));
  EXPECT_EQ(cluster.ask(1), std::nullopt);
  EXPECT_EQ(cluster.fetch(0), (RowRange{0, 8}));
  EXPECT_EQ(cluster.fetch(1), (RowRange{24, 32}));
  // What it stated when it asked for the second counts for the third.
  EXPECT_EQ(cluster.fetch(0), (RowRange{16, 24}));
  EXPECT_EQ(cluster.fetch(0), (RowRange{32, 36}));
  EXPECT_EQ(cluster.ask(0), std::nullopt);
  EXPECT_EQ(cluster.fetch(1), (RowRange{36, 48}));
  EXPECT_EQ(cluster.fetch(0).size(), 4);
}

TEST(BalanceShares, WithADelaySharesDoNotDependOnWhoAsksFirst) {
  for (bool changed : {false, true}) {
    Cluster one({.batch = 64, .delay = 1}, {{0, 1}, {1, 2}, {2, 5}});
    Cluster other = Cluster({.batch = 64, .delay = 1}, one.speeds);
    for (int round = 0; round != 12; ++round) {
      one.speeds[0] = other.speeds[0] = 1 + round % 3;
      for (int64_t member : {0, 1, 2})
        one.fetch(member);
      for (int64_t member : {2, 1, 0})
        other.fetch(member);
      // The last one runs ahead: it asks for the next round before the first
      // has asked for this one.
      if (changed && round > 0)
        EXPECT_TRUE(other.ask(2).has_value());
      EXPECT_EQ(one.last, other.last) << round;
    }
  }
}

TEST(BalanceShares, WithADelayRowsThatWereDealtAheadComeBack) {
  Cluster cluster({.batch = 16, .delay = 1}, {{0, 1}, {1, 1}});
  EXPECT_EQ(cluster.fetch(1), (RowRange{8, 16}));
  EXPECT_EQ(cluster.ask(1), std::nullopt);
  ASSERT_TRUE(cluster.policy->leave(0));
  EXPECT_EQ(cluster.fetch(1), (RowRange{0, 8}));
  EXPECT_EQ(cluster.fetch(1), (RowRange{16, 32}));
}

TEST(BalanceShares, WithADelayANewcomersFirstShareIsEmpty) {
  Cluster cluster({.batch = 16, .delay = 1}, {{0, 1}, {1, 1}});
  cluster.round();
  ASSERT_TRUE(cluster.policy->join(2));
  cluster.speeds[2] = 1;
  EXPECT_EQ(cluster.sizes(), (Sizes{8, 8, 0}));
  EXPECT_EQ(cluster.sizes(), (Sizes{6, 5, 5}));
}

TEST(BalanceShares, RefusesDamagedState) {
  Cluster cluster({.batch = 12, .totalSamples = 100}, {{0, 1}, {1, 2}, {2, 3}});
  cluster.round();
  ASSERT_TRUE(cluster.policy->leave(0));
  cluster.ask(1);
  StateWriter out;
  cluster.policy->save(out);
  for (size_t cut = 0; cut < out.bytes().size(); ++cut) {
    StateReader in(std::string_view(out.bytes()).substr(0, cut));
    EXPECT_FALSE(cluster.policy->load(in)) << cut;
  }
  for (size_t at = 0; at + 8 <= out.bytes().size(); at += 8) {
    std::string bad = out.bytes();
    bad.replace(at, 8, std::string(7, '\xff') + '\x7f');
    StateReader in(bad);
    Cluster other({.batch = 12, .totalSamples = 100}, {{0, 1}});
    (void)other.policy->load(in); // refused or harmless, never a crash
  }
  // What was refused changed nothing: the rows of the dead are dealt next.
  cluster.ask(2);
  EXPECT_EQ(cluster.fetch(1), (RowRange{0, 4}));
}
