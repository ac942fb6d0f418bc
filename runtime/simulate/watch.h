// An environment in front of a simulation's that takes notes: when members
// compute and wait, what they send, and what a person wants to know afterwards.
#pragma once

#include "environment/forwarding_environment.h"

#include <atomic>
#include <limits>
#include <map>
#include <queue>
#include <vector>

namespace rubato {

/// What a member did from when to when, in nanoseconds of virtual time.
struct MemberSpan {
  bool computes = false; // else it waits for others
  int strand = 0;
  int64_t begin = 0, end = 0;
};

/// Counts that become true at a moment of virtual time; strands run ahead of
/// each other, so they are reported out of order.
class TimedSum {
public:
  void add(int64_t time, int64_t amount) {
    coming.emplace(time, amount);
    all += amount;
  }
  /// The sum up to `time`; times never go back.
  int64_t upTo(int64_t time) {
    while (!coming.empty() && coming.top().first <= time) {
      past += coming.top().second;
      coming.pop();
    }
    return past;
  }
  int64_t total() const { return all; }

private:
  using Entry = std::pair<int64_t, int64_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> coming;
  int64_t past = 0, all = 0;
};

class WatchedEnvironment final : public ForwardingEnvironment {
public:
  /// `spans`: keep up to so many for each member.
  WatchedEnvironment(Environment &inner, int members, size_t spans);

  double seconds = std::numeric_limits<double>::infinity(); // stop from then on
  const std::atomic<int> *stop = nullptr;                   // not 0: stop

  // The notes.
  TimedSum samples, bytes;
  double lossSum = 0;   // of all gradients
  bool carries = false; // a reduction was awaited in a later round
  std::vector<std::vector<MemberSpan>> spans; // of each member, in order
  std::vector<int64_t> gradients;             // of each member's rounds

  int64_t stopRequested(const Caller &who) override;
  Status work(const Caller &who, const char *name, bool begin) override;
  void computed(const Caller &who, int64_t samples, double loss) override;
  Status meet(const Caller &who, int rendezvous, bool &met) override;
  Status start(const Caller &who, const CollectiveStart &call,
               FutureHandle &future) override;
  Status exchange(const Caller &who, const ExchangeStart &call,
                  FutureHandle &future) override;
  bool done(const Caller &who, FutureHandle future) override;
  Status await(const Caller &who, FutureHandle future, Parts outs,
               int64_t first) override;
  Status arrive(const Caller &who, FutureHandle future, int64_t bytes,
                double done, Lane *lane) override;
  void repeated(const Caller &who, int64_t count) override;
  Status push(const Caller &who, int channel, int64_t ticket,
              Parts ins) override;
  Status collect(const Caller &who, int channel, int64_t first,
                 bool byStaleness, Parts outs, int64_t &collected) override;
  Status grant(const Caller &who, int channel, bool toAll, int64_t to,
               int64_t staleAfter, Parts ins) override;
  Status ask(const Caller &who, int policy, int entry,
             std::span<const policy::Value> inputs,
             std::span<policy::Value> answers) override;
  Status commit(const Caller &who, int64_t seen, int64_t expected,
                bool &ok) override;
  Status next(const Caller &who, bool go) override;

private:
  int64_t at(const Caller &who) { return nanoseconds(inner.now(who)); }
  static int64_t nanoseconds(double time);
  void span(const Caller &who, bool computes, int64_t begin, int64_t end);
  /// A step that was cut short ends now.
  void cutSpan(const Caller &who);
  /// Does what may wait and notes how long it did.
  template <typename Fn> Status waiting(const Caller &who, Fn call);

  int memberCount;
  bool finite = true; // no loss was anything else
  size_t spanLimit;
  std::map<FutureHandle, int64_t> reductions; // the round of each start
};

} // namespace rubato
