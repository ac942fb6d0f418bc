// The matcher's state: questions asked again, saving, entries by name, options.
#include "gossip_course.h"
#include "policy/ask.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace rubato;
using namespace rubato::policy;

TEST(GossipMatcherState, GivesARepeatedQuestionItsRecordedAnswer) {
  auto matcher = makeMatcher({.members = 3});
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

TEST(GossipMatcherState, GoesOnTheSameFromSavedState) {
  MatcherOptions options{
      .members = 9, .graph = {Topology::Ring}, .goal = 1000, .seed = 4};
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

TEST(GossipMatcherState, RefusesDamagedState) {
  auto matcher = makeMatcher({.members = 3});
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
  EXPECT_FALSE(makeMatcher({.members = 4})->load(in));
}

TEST(GossipMatcherState, RefusesUsesOfEdgesThatDisagree) {
  MatcherOptions options{.members = 3, .graph = {Topology::Edges}};
  ASSERT_TRUE(parseEdges("0 1, 1 2", options.graph.edges));
  auto matcher = makeMatcher(options);
  offer(*matcher, 0, 0);
  offer(*matcher, 1, 0);
  StateWriter out;
  matcher->save(out);
  const std::string saved = out.bytes();
  auto loads = [&](const std::string &bytes) {
    StateReader in(bytes);
    return bool(makeMatcher(options)->load(in));
  };
  EXPECT_TRUE(loads(saved));
  // Behind the number of members and 14 words of each: how many counts there
  // are, then those of 0-1, 1-0, 1-2 and 2-1.
  auto withCounts = [&](std::vector<int64_t> counts) {
    std::string bytes = saved;
    for (size_t i = 0; i < counts.size(); ++i)
      std::memcpy(bytes.data() + (1 + 3 * 14 + 1 + i) * 8, &counts[i], 8);
    return bytes;
  };
  ASSERT_EQ(withCounts({1, 1, 0, 0}), saved);
  EXPECT_TRUE(loads(withCounts({5, 5, 7, 7})));
  EXPECT_FALSE(loads(withCounts({1, 0, 0, 0})));
  EXPECT_FALSE(loads(withCounts({1, 1, 0, 1})));
  EXPECT_FALSE(loads(withCounts({-1, -1, 0, 0})));
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_FALSE(loads(withCounts({most, most, 1, 1})));
}

TEST(GossipMatcherState, AnswersByName) {
  auto matcher =
      makeMatcher({.members = 2, .graph = {Topology::Ring}, .rate = 2});
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

TEST(GossipMatcherState, RefusesBadOptions) {
  std::unique_ptr<GossipMatcher> matcher;
  EXPECT_FALSE(GossipMatcher::create({.members = 0}, matcher));
  EXPECT_FALSE(GossipMatcher::create({.members = 1 << 20}, matcher));
  EXPECT_FALSE(GossipMatcher::create({.members = 2, .rate = 0}, matcher));
  EXPECT_FALSE(GossipMatcher::create({.members = 2, .rate = NAN}, matcher));
  EXPECT_FALSE(GossipMatcher::create({.members = 2, .goal = -1}, matcher));
}
