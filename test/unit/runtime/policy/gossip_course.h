// Members that offer themselves to a matcher in random order, for its tests.
#pragma once

#include "policy/gossip_matcher.h"
#include "policy/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace rubato::policy {

inline std::unique_ptr<GossipMatcher>
makeMatcher(const MatcherOptions &options) {
  std::unique_ptr<GossipMatcher> matcher;
  Status status = GossipMatcher::create(options, matcher);
  EXPECT_TRUE(status) << status.message();
  return matcher;
}

inline std::optional<Match> offer(GossipMatcher &matcher, int64_t member,
                                  int64_t call) {
  std::optional<Match> match;
  Status status = matcher.offer({member, call}, match);
  EXPECT_TRUE(status) << status.message();
  return match;
}

inline bool report(GossipMatcher &matcher, Asker asker, int64_t samples,
                   int64_t stop = 0) {
  bool go = false;
  Status status = matcher.report(asker, samples, stop, go);
  EXPECT_TRUE(status) << status.message();
  return go;
}

inline const Match none{-1, -1, true}, stopped{-1, -1, false};

/// Members that average for random times; keeps what happened.
struct Course {
  Course(const MatcherOptions &options, uint64_t seed)
      : matcher(makeMatcher(options)), members(options.members), seed(seed),
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

} // namespace rubato::policy
