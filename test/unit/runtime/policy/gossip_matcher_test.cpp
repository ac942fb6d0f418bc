// The matcher: pairs, its rule against repeats, deaths and stopping.
#include "gossip_course.h"

#include <map>

using namespace rubato;
using namespace rubato::policy;

TEST(GossipMatcher, PairsTwoNeighboursThatAreReady) {
  auto matcher = makeMatcher({.members = 4, .graph = {Topology::Ring}});
  EXPECT_EQ(offer(*matcher, 0, 0), std::nullopt);
  // Opposite on the ring.
  EXPECT_EQ(offer(*matcher, 2, 0), std::nullopt);
  EXPECT_TRUE(matcher->isWaiting(2));
  std::optional<Match> match = offer(*matcher, 1, 0);
  ASSERT_TRUE(match && match->go && (match->peer == 0 || match->peer == 2));
  EXPECT_EQ(matcher->poll(match->peer), (Match{1, match->tag, true}));
  EXPECT_TRUE(matcher->isWaiting(2 - match->peer));
}

TEST(GossipMatcher, NeverLetsAllWaitAndNeverRepeatsAPairAtOnce) {
  for (Topology topology :
       {Topology::Complete, Topology::Ring, Topology::Exponential,
        Topology::ExponentialSimple, Topology::Star, Topology::Path,
        Topology::TwoClusters})
    for (int64_t n = 2; n <= 9; ++n) {
      SCOPED_TRACE(std::string(topologyName(topology)) + std::to_string(n));
      Course run({.members = n, .graph = {topology}, .seed = 3}, 11);
      for (int k = 0; k < 2000; ++k)
        ASSERT_TRUE(run.step()) << "all wait after " << k;
      EXPECT_GT(run.matcher->matches(), 500);
      Neighbours graph = liveGraph(topology, Repair::Close,
                                   std::vector<bool>(size_t(n), true));
      std::map<int64_t, int64_t> last;
      int64_t repeats = 0;
      for (auto [a, b] : run.pairs) {
        const auto &listA = graph[size_t(a)], &listB = graph[size_t(b)];
        ASSERT_TRUE(std::any_of(listA.begin(), listA.end(),
                                [b](auto &each) { return each.member == b; }));
        bool again = last.contains(a) && last[a] == b && last[b] == a;
        repeats += again;
        EXPECT_FALSE(again && listA.size() > 1 && listB.size() > 1);
        last[a] = b;
        last[b] = a;
      }
      EXPECT_EQ(repeats, run.matcher->repeats());
    }
}

TEST(GossipMatcher, RepeatsAPairAtOnceWhereAllowed) {
  for (bool allowed : {false, true}) {
    auto matcher = makeMatcher(
        {.members = 4, .graph = {Topology::Ring}, .repeats = allowed});
    offer(*matcher, 0, 0);
    ASSERT_TRUE(offer(*matcher, 1, 0));
    offer(*matcher, 0, 1);
    EXPECT_EQ(offer(*matcher, 1, 1).has_value(), allowed);
    EXPECT_EQ(matcher->repeats(), allowed);
  }
}

TEST(GossipMatcher, UnlocksTwoThatFinishTogether) {
  // 0 and 1 come back together after each averaging; so do 2 and 3.
  auto matcher = makeMatcher({.members = 4, .graph = {Topology::Ring}});
  std::map<std::pair<int64_t, int64_t>, int> used;
  std::vector<int64_t> order = {0, 1, 2, 3};
  for (int64_t round = 0; round < 100; ++round) {
    for (int64_t who : order)
      offer(*matcher, who, round);
    for (int64_t i = 0; i < 4; ++i) {
      std::optional<Match> match = matcher->poll(i);
      ASSERT_TRUE(match);
      ++used[std::minmax(i, match->peer)];
    }
  }
  EXPECT_EQ(used.size(), 4u);
  EXPECT_EQ(matcher->repeats(), 0);
}

TEST(GossipMatcher, UsesEdgesEvenly) {
  Course ring({.members = 16, .graph = {Topology::Ring}, .seed = 5}, 2);
  for (int k = 0; k < 40000; ++k)
    ASSERT_TRUE(ring.step());
  std::map<std::pair<int64_t, int64_t>, int> used;
  for (auto pair : ring.pairs)
    ++used[pair];
  ASSERT_EQ(used.size(), 16u);
  double mean = double(ring.pairs.size()) / 16;
  for (auto [pair, count] : used)
    EXPECT_NEAR(count, mean, 0.1 * mean) << pair.first << "-" << pair.second;
}

TEST(GossipMatcher, MeetsTheAntipodeTwiceAsOften) {
  // Two neighbours of 0 wait, which are not neighbours of each other; the
  // draw follows the list of 0, in which 4 is twice.
  std::map<int64_t, int> drawn;
  constexpr int n = 12000;
  for (int seed = 0; seed < n; ++seed) {
    auto matcher = makeMatcher({.members = 8,
                                .graph = {Topology::Exponential},
                                .accelerate = false,
                                .seed = uint64_t(seed)});
    offer(*matcher, 4, 0);
    offer(*matcher, 1, 0);
    ++drawn[offer(*matcher, 0, 0)->peer];
  }
  // Five standard errors.
  EXPECT_NEAR(drawn[4], n * 2 / 3, 5 * 52);
  EXPECT_EQ(drawn[4] + drawn[1], n);
}

TEST(GossipMatcher, AnswersAloneAtOnce) {
  auto matcher = makeMatcher({.members = 1, .graph = {Topology::Ring}});
  for (int64_t call = 0; call < 3; ++call)
    EXPECT_EQ(offer(*matcher, 0, call), none);
  double eta = 1, alpha = 1;
  ASSERT_TRUE(matcher->constants({0, 0}, eta, alpha));
  EXPECT_EQ(eta, 0);
  EXPECT_EQ(alpha, 0.5);
}

TEST(GossipMatcher, RepeatsTheOnlyPairOfTwo) {
  auto matcher = makeMatcher({.members = 2, .graph = {Topology::Ring}});
  for (int64_t call = 0; call < 5; ++call) {
    EXPECT_EQ(offer(*matcher, call % 2, call), std::nullopt);
    EXPECT_EQ(offer(*matcher, 1 - call % 2, call),
              (Match{call % 2, call, true}));
  }
  EXPECT_EQ(matcher->repeats(), 4);
}

TEST(GossipMatcher, RepeatsAPairWhoseOneEndHasNoOtherNeighbour) {
  // A hub and two leaves, whichever end comes first.
  for (int64_t first : {0, 1}) {
    auto matcher = makeMatcher({.members = 3, .graph = {Topology::Star}});
    for (int64_t call = 0; call < 3; ++call) {
      EXPECT_EQ(offer(*matcher, first, call), std::nullopt);
      EXPECT_EQ(offer(*matcher, 1 - first, call), (Match{first, call, true}));
    }
  }
}

TEST(GossipMatcher, StopsAtTheGoalAndReleasesWhoWaits) {
  auto matcher =
      makeMatcher({.members = 4, .graph = {Topology::Ring}, .goal = 100});
  EXPECT_TRUE(report(*matcher, {0, 0}, 40));
  EXPECT_TRUE(report(*matcher, {1, 0}, 59));
  offer(*matcher, 0, 0);
  auto pair = offer(*matcher, 1, 0);
  offer(*matcher, 2, 0);
  EXPECT_TRUE(matcher->isWaiting(2));
  EXPECT_FALSE(report(*matcher, {2, 0}, 1));
  EXPECT_TRUE(matcher->isStopping());
  EXPECT_EQ(matcher->poll(2), stopped);
  // Both ends of a pair made before still meet; then they stop.
  EXPECT_EQ(matcher->poll(0), (Match{1, pair->tag, true}));
  EXPECT_EQ(offer(*matcher, 0, 0), (Match{1, pair->tag, true}));
  EXPECT_EQ(offer(*matcher, 0, 1), stopped);
  EXPECT_EQ(offer(*matcher, 3, 0), stopped);
}

TEST(GossipMatcher, StopsOnRequestAndRefusesCountsThatFall) {
  auto matcher = makeMatcher({.members = 2, .goal = 0});
  EXPECT_TRUE(report(*matcher, {0, 0}, INT64_MAX));
  EXPECT_TRUE(report(*matcher, {1, 0}, INT64_MAX));
  bool go = true;
  EXPECT_FALSE(matcher->report({0, 1}, 5, 0, go));
  EXPECT_FALSE(report(*matcher, {1, 1}, INT64_MAX, 2));
  EXPECT_FALSE(report(*matcher, {0, 1}, INT64_MAX));
}

TEST(GossipMatcher, ClosesTheRingAfterADeath) {
  auto matcher = makeMatcher({.members = 5, .graph = {Topology::Ring}});
  offer(*matcher, 0, 0);
  offer(*matcher, 2, 0);
  EXPECT_TRUE(matcher->isWaiting(0) && matcher->isWaiting(2));
  // Now 0 and 2 are neighbours.
  ASSERT_TRUE(matcher->leave(1));
  EXPECT_EQ(matcher->poll(0), (Match{2, 0, true}));
  EXPECT_EQ(matcher->poll(2), (Match{0, 0, true}));
  double eta = 0, alpha = 0;
  ASSERT_TRUE(matcher->constants({0, 0}, eta, alpha));
  EXPECT_NEAR(eta, 0.577350, 5.1e-7);
  EXPECT_NEAR(alpha, 0.57735, 5.1e-6);
}

TEST(GossipMatcher, DropsTheEdgesOfTheDeadOnPhysicalLinks) {
  auto matcher = makeMatcher(
      {.members = 4, .graph = {Topology::Ring}, .repair = Repair::Induced});
  offer(*matcher, 0, 0);
  offer(*matcher, 2, 0);
  ASSERT_TRUE(matcher->leave(1));
  EXPECT_TRUE(matcher->isWaiting(0) && matcher->isWaiting(2));
  ASSERT_TRUE(matcher->leave(3));
  // Nobody is left to meet.
  EXPECT_EQ(matcher->poll(0), none);
  EXPECT_EQ(matcher->poll(2), none);
}

TEST(GossipMatcher, AllowsARepeatOnceTheLiveDegreeIsOne) {
  auto matcher = makeMatcher({.members = 3});
  offer(*matcher, 0, 0);
  offer(*matcher, 1, 0);
  offer(*matcher, 0, 1);
  EXPECT_EQ(offer(*matcher, 1, 1), std::nullopt);
  ASSERT_TRUE(matcher->leave(2));
  EXPECT_EQ(matcher->poll(0), (Match{1, 1, true}));
  EXPECT_EQ(matcher->repeats(), 1);
  // The last one goes on alone, and leaving twice is leaving once.
  EXPECT_EQ(offer(*matcher, 0, 2), std::nullopt);
  ASSERT_TRUE(matcher->leave(1));
  ASSERT_TRUE(matcher->leave(1));
  EXPECT_EQ(matcher->poll(0), none);
  ASSERT_TRUE(matcher->leave(0));
  EXPECT_FALSE(matcher->leave(9));
}

TEST(GossipMatcher, PlainGossipDoesNotMix) {
  auto matcher = makeMatcher(
      {.members = 16, .graph = {Topology::Ring}, .accelerate = false});
  double eta = 1, alpha = 1;
  ASSERT_TRUE(matcher->constants({0, 0}, eta, alpha));
  EXPECT_EQ(eta, 0);
  EXPECT_EQ(alpha, 0.5);
}

TEST(GossipMatcher, LeavesANeighbourToSomebodyElseWhoWaits) {
  for (bool repeats : {false, true}) {
    int again = 0;
    for (uint64_t seed = 0; seed < 40; ++seed) {
      auto matcher = makeMatcher({.members = 3,
                                  .graph = {Topology::Star},
                                  .repeats = repeats,
                                  .seed = seed});
      offer(*matcher, 0, 0);
      ASSERT_TRUE(offer(*matcher, 1, 0));
      // Both leaves wait for the hub, and it has just met one of them.
      offer(*matcher, 1, 1);
      offer(*matcher, 2, 0);
      again += offer(*matcher, 0, 1)->peer == 1;
    }
    EXPECT_EQ(again > 0, repeats);
  }
}
