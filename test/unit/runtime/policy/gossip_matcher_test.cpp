// The matcher: pairs, its rule against repeats, deaths, stopping, asking again.
#include "policy/gossip_ask.h"
#include "policy/gossip_matcher.h"
#include "policy/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace rubato;
using namespace rubato::policy;

static std::unique_ptr<GossipMatcher> make(const MatcherOptions &options) {
  std::unique_ptr<GossipMatcher> matcher;
  Status status = GossipMatcher::create(options, matcher);
  EXPECT_TRUE(status) << status.message();
  return matcher;
}

static std::optional<Match> offer(GossipMatcher &matcher, int64_t member,
                                  int64_t call) {
  std::optional<Match> match;
  Status status = matcher.offer({member, call}, match);
  EXPECT_TRUE(status) << status.message();
  return match;
}

static bool report(GossipMatcher &matcher, Asker asker, int64_t samples,
                   int64_t stop = 0) {
  bool go = false;
  Status status = matcher.report(asker, samples, stop, go);
  EXPECT_TRUE(status) << status.message();
  return go;
}

static const Match none{-1, -1, true}, stopped{-1, -1, false};

namespace {
/// Members that average for random times; keeps what happened.
struct Course {
  Course(const MatcherOptions &options, uint64_t seed)
      : matcher(make(options)), members(options.members), seed(seed),
        calls(static_cast<size_t>(members)),
        busy(static_cast<size_t>(members), true) {}

  /// One member that is not waiting finishes and offers itself; false when
  /// all wait.
  bool step() {
    std::vector<int64_t> free;
    for (int64_t i = 0; i < members; ++i)
      if (busy[static_cast<size_t>(i)])
        free.push_back(i);
    if (free.empty())
      return false;
    int64_t who = free[static_cast<size_t>(
        CounterRandom(seed, "schedule", {0, steps++})
            .below(static_cast<int64_t>(free.size())))];
    auto match = offer(*matcher, who, calls[static_cast<size_t>(who)]++);
    busy[static_cast<size_t>(who)] = match.has_value();
    if (match && match->peer >= 0) {
      busy[static_cast<size_t>(match->peer)] = true;
      // Both ends hold the same match.
      EXPECT_EQ(matcher->poll(match->peer), (Match{who, match->tag, true}));
      EXPECT_TRUE(tags.insert(match->tag).second);
      pairs.push_back(std::minmax(who, match->peer));
    }
    return true;
  }

  std::unique_ptr<GossipMatcher> matcher;
  int64_t members;
  uint64_t seed;
  int64_t steps = 0;
  std::vector<int64_t> calls;
  std::vector<bool> busy;
  std::set<int64_t> tags;
  std::vector<std::pair<int64_t, int64_t>> pairs;
};
} // namespace

TEST(GossipMatcher, PairsTwoNeighboursThatAreReady) {
  auto matcher = make({.members = 4, .topology = Topology::Ring});
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
        Topology::ExponentialSimple, Topology::Star, Topology::Path})
    for (int64_t n = 2; n <= 9; ++n) {
      SCOPED_TRACE(std::string(topologyName(topology)) + std::to_string(n));
      Course run({.members = n, .topology = topology, .seed = 3}, 11);
      for (int k = 0; k < 2000; ++k)
        ASSERT_TRUE(run.step()) << "all wait after " << k;
      EXPECT_GT(run.matcher->matches(), 500);
      Neighbours graph = liveGraph(topology, Repair::Close,
                                   std::vector<bool>(size_t(n), true));
      std::map<int64_t, int64_t> last;
      int64_t repeats = 0;
      for (auto [a, b] : run.pairs) {
        const auto &listA = graph[size_t(a)], &listB = graph[size_t(b)];
        ASSERT_TRUE(std::count(listA.begin(), listA.end(), b));
        bool again = last.contains(a) && last[a] == b && last[b] == a;
        repeats += again;
        EXPECT_FALSE(again && degree(listA) > 1 && degree(listB) > 1);
        last[a] = b;
        last[b] = a;
      }
      EXPECT_EQ(repeats, run.matcher->repeats());
    }
}

TEST(GossipMatcher, UnlocksTwoThatFinishTogether) {
  // 0 and 1 come back together after each averaging; so do 2 and 3.
  auto matcher = make({.members = 4, .topology = Topology::Ring});
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
  Course ring({.members = 16, .topology = Topology::Ring, .seed = 5}, 2);
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
  // All neighbours of 0 wait; the draw follows the list, 4 in it twice.
  std::map<int64_t, int> drawn;
  constexpr int n = 12000;
  for (int seed = 0; seed < n; ++seed) {
    auto matcher = make({.members = 8,
                         .topology = Topology::Exponential,
                         .accelerate = false,
                         .seed = uint64_t(seed)});
    // 2, 4 and 6 are neighbours of one another: make only 4 and 1 wait.
    offer(*matcher, 4, 0);
    offer(*matcher, 1, 0);
    ++drawn[offer(*matcher, 0, 0)->peer];
  }
  // Five standard errors.
  EXPECT_NEAR(drawn[4], n * 2 / 3, 5 * 52);
  EXPECT_EQ(drawn[4] + drawn[1], n);
}

TEST(GossipMatcher, AnswersAloneAtOnce) {
  auto matcher = make({.members = 1, .topology = Topology::Ring});
  for (int64_t call = 0; call < 3; ++call)
    EXPECT_EQ(offer(*matcher, 0, call), none);
  double eta = 1, alpha = 1;
  ASSERT_TRUE(matcher->constants({0, 0}, eta, alpha));
  EXPECT_EQ(eta, 0);
  EXPECT_EQ(alpha, 0.5);
}

TEST(GossipMatcher, RepeatsTheOnlyPairOfTwo) {
  auto matcher = make({.members = 2, .topology = Topology::Ring});
  for (int64_t call = 0; call < 5; ++call) {
    EXPECT_EQ(offer(*matcher, call % 2, call), std::nullopt);
    EXPECT_EQ(offer(*matcher, 1 - call % 2, call),
              (Match{call % 2, call, true}));
  }
  EXPECT_EQ(matcher->repeats(), 4);
}

TEST(GossipMatcher, GivesARepeatedQuestionItsRecordedAnswer) {
  auto matcher = make({.members = 3});
  EXPECT_EQ(offer(*matcher, 0, 0), std::nullopt);
  EXPECT_EQ(offer(*matcher, 0, 0), std::nullopt);
  auto match = offer(*matcher, 1, 7);
  EXPECT_EQ(match, (Match{0, 0, true}));
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(offer(*matcher, 1, 7), match);
    EXPECT_EQ(offer(*matcher, 0, 0), (Match{1, 0, true}));
  }
  EXPECT_EQ(matcher->matches(), 1);
  // An answer stays as it was given, though the graph has changed.
  double eta = 0, alpha = 0, again = 0;
  ASSERT_TRUE(matcher->constants({0, 1}, eta, alpha));
  ASSERT_TRUE(matcher->leave(2));
  ASSERT_TRUE(matcher->constants({0, 1}, again, alpha));
  EXPECT_EQ(again, eta);
  ASSERT_TRUE(matcher->constants({0, 2}, again, alpha));
  EXPECT_EQ(again, 1.0);
  EXPECT_TRUE(report(*matcher, {0, 3}, 10));
  EXPECT_FALSE(report(*matcher, {1, 8}, 10, 1));
  EXPECT_TRUE(report(*matcher, {0, 3}, 10));
  EXPECT_FALSE(report(*matcher, {0, 4}, 10));
  // Calls do not run backwards.
  std::optional<Match> ignored;
  EXPECT_FALSE(matcher->offer({1, 6}, ignored));
  EXPECT_FALSE(matcher->offer({2, 0}, ignored));
  EXPECT_FALSE(matcher->offer({3, 0}, ignored));
  EXPECT_FALSE(matcher->offer({-1, 0}, ignored));
}

TEST(GossipMatcher, StopsAtTheGoalAndReleasesWhoWaits) {
  auto matcher = make({.members = 4, .topology = Topology::Ring, .goal = 100});
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
  auto matcher = make({.members = 2, .goal = 0});
  EXPECT_TRUE(report(*matcher, {0, 0}, INT64_MAX));
  EXPECT_TRUE(report(*matcher, {1, 0}, INT64_MAX));
  bool go = true;
  EXPECT_FALSE(matcher->report({0, 1}, 5, 0, go));
  EXPECT_FALSE(report(*matcher, {1, 1}, INT64_MAX, 2));
  EXPECT_FALSE(report(*matcher, {0, 1}, INT64_MAX));
}

TEST(GossipMatcher, ClosesTheRingAfterADeath) {
  auto matcher = make({.members = 5, .topology = Topology::Ring});
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
  auto matcher = make(
      {.members = 4, .topology = Topology::Ring, .repair = Repair::Induced});
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
  auto matcher = make({.members = 3});
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

TEST(GossipMatcher, GoesOnTheSameFromSavedState) {
  MatcherOptions options{
      .members = 9, .topology = Topology::Ring, .goal = 1000, .seed = 4};
  Course run(options, 6);
  for (int k = 0; k < 137; ++k)
    ASSERT_TRUE(run.step());
  report(*run.matcher, {3, 0}, 999);
  ASSERT_TRUE(run.matcher->leave(8));
  run.busy[8] = false;
  for (int64_t i = 0; i < 8; ++i)
    run.busy[size_t(i)] = !run.matcher->isWaiting(i);

  StateWriter out;
  run.matcher->save(out);
  Course other(options, 6);
  StateReader in(out.bytes());
  ASSERT_TRUE(other.matcher->load(in));
  EXPECT_TRUE(in.atEnd());
  other.steps = run.steps;
  other.calls = run.calls;
  other.busy = run.busy;
  size_t before = run.pairs.size();
  for (int k = 0; k < 500; ++k)
    ASSERT_TRUE(run.step() && other.step());
  run.pairs.erase(run.pairs.begin(), run.pairs.begin() + long(before));
  EXPECT_GT(other.pairs.size(), 100u);
  EXPECT_EQ(run.pairs, other.pairs);
  StateWriter a, b;
  run.matcher->save(a);
  other.matcher->save(b);
  EXPECT_EQ(a.bytes(), b.bytes());
  double eta = 0, alpha = 0;
  ASSERT_TRUE(other.matcher->constants({0, 0}, eta, alpha));
  EXPECT_NEAR(eta, 0.289281, 5.1e-7);
  EXPECT_FALSE(report(*other.matcher, {4, 0}, 1));
}

TEST(GossipMatcher, RefusesDamagedState) {
  auto matcher = make({.members = 3});
  offer(*matcher, 1, 0);
  StateWriter out;
  matcher->save(out);
  for (size_t cut = 0; cut < out.bytes().size(); cut += 4) {
    StateReader in(std::string_view(out.bytes()).substr(0, cut));
    EXPECT_FALSE(matcher->load(in));
  }
  // A queue that does not name who waits: the 1 near the end, of four words.
  std::string bytes = out.bytes();
  size_t queued = bytes.size() - 4 * 8;
  ASSERT_EQ(bytes[queued], 1);
  for (char wrong : {0, 2, 77}) {
    bytes[queued] = wrong;
    StateReader in(bytes);
    EXPECT_FALSE(matcher->load(in));
  }
  EXPECT_TRUE(matcher->isWaiting(1));
  StateReader in(out.bytes());
  EXPECT_FALSE(make({.members = 4})->load(in));
}

TEST(GossipMatcher, AnswersByName) {
  auto matcher = make({.members = 2, .topology = Topology::Ring, .rate = 2});
  Policy &policy = *matcher;
  EXPECT_EQ(policy.placement(), Placement::Central);
  EXPECT_EQ(policy.entries().size(), 3u);
  std::vector<Value> two(2), one(1), three(3);
  ASSERT_TRUE(policy.ask("constants", {0, 0}, {}, two));
  EXPECT_EQ(two, (std::vector<Value>{2.0, 0.5}));
  std::vector<Value> inputs = {int64_t(5), int64_t(0)};
  ASSERT_TRUE(policy.ask("report", {0, 1}, inputs, one));
  EXPECT_EQ(one[0], Value(true));
  EXPECT_TRUE(isPending(policy.ask("next", {0, 2}, {}, three)));
  ASSERT_TRUE(policy.ask("next", {1, 0}, {}, three));
  EXPECT_EQ(three, (std::vector<Value>{int64_t(0), int64_t(0), true}));
  ASSERT_TRUE(policy.ask("next", {0, 2}, {}, three));
  EXPECT_EQ(three, (std::vector<Value>{int64_t(1), int64_t(0), true}));

  EXPECT_FALSE(policy.ask("last", {0, 3}, {}, three));
  EXPECT_FALSE(policy.ask("next", {0, 3}, {}, two));
  inputs[0] = 5.0;
  Status status = policy.ask("report", {0, 3}, inputs, one);
  EXPECT_FALSE(status);
  EXPECT_FALSE(isPending(status));
}

TEST(GossipMatcher, PlainGossipDoesNotMix) {
  auto matcher =
      make({.members = 16, .topology = Topology::Ring, .accelerate = false});
  double eta = 1, alpha = 1;
  ASSERT_TRUE(matcher->constants({0, 0}, eta, alpha));
  EXPECT_EQ(eta, 0);
  EXPECT_EQ(alpha, 0.5);
}

TEST(GossipMatcher, RefusesBadOptions) {
  std::unique_ptr<GossipMatcher> matcher;
  EXPECT_FALSE(GossipMatcher::create({.members = 0}, matcher));
  EXPECT_FALSE(GossipMatcher::create({.members = 1 << 20}, matcher));
  EXPECT_FALSE(GossipMatcher::create({.members = 2, .rate = 0}, matcher));
  EXPECT_FALSE(GossipMatcher::create({.members = 2, .rate = NAN}, matcher));
  EXPECT_FALSE(GossipMatcher::create({.members = 2, .goal = -1}, matcher));
}
