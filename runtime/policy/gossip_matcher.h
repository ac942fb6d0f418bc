// gossip.matcher: pairs members that are ready to average.
//
// One object serves the whole group. A member that asks for a partner gets one
// of its live neighbours that waits, drawn at random, or waits itself. The two
// that met last do not meet again at once where both have another neighbour, or
// somebody else waits for one of them: otherwise two members that finish
// together find only each other for ever. Nobody starves by that rule: when all
// members of a connected part wait, the pairs it forbids are disjoint, so some
// edge is free. Where a graph is given edge by edge, edges that are behind
// their share go first (gossip_usage.h), and they alone may be repeated.
#pragma once

#include "policy/gossip_constants.h"
#include "policy/gossip_graph.h"
#include "policy/gossip_usage.h"
#include "policy/policy.h"

#include <memory>
#include <optional>

namespace rubato::policy {

struct MatcherOptions {
  /// Members are numbered from 0.
  int64_t members = 1;
  GraphOptions graph = {};
  Repair repair = Repair::Close;
  /// Averagings per member and gradient.
  double rate = 1;
  /// False: plain gossip, η = 0 and α̃ = ½ on every graph.
  bool accelerate = true;
  /// Whether two may average again at once, with nobody else in between. A pair
  /// that may can lock itself in: both are free at the same time again. Where
  /// a graph is given edge by edge, one that is behind its share may always.
  bool repeats = false;
  /// Samples, summed over members, after which the run stops; 0: no goal.
  int64_t goal = 0;
  uint64_t seed = 0;
  /// Those of the members that take part from the start; empty: all. The
  /// others may join.
  std::vector<int64_t> present = {};
};

/// The answer to `next`.
struct Match {
  /// Negative: no live neighbour, or stopping.
  int64_t peer = -1;
  /// The same at both ends and at no other match; negative without a peer.
  int64_t tag = -1;
  /// False: stopping.
  bool go = true;

  bool operator==(const Match &) const = default;
};

class GossipMatcher final : public Policy {
public:
  static Status create(const MatcherOptions &options,
                       std::unique_ptr<GossipMatcher> &matcher);

  /// Offers the asking member for an averaging. Leaves `match` empty while it
  /// has to wait; the same question again polls. An offer may answer another
  /// waiting member (the match names it), and so may `leave` and a `report`
  /// that stops (poll all that wait).
  Status offer(Asker asker, std::optional<Match> &match);
  /// The latest answer of a member; empty while it waits.
  std::optional<Match> poll(int64_t member) const;
  bool isWaiting(int64_t member) const;

  /// Notes a member's samples so far and whether it wants to stop (not 0).
  /// `go` is false once the group stops. Pairs made before keep their match.
  Status report(Asker asker, int64_t samples, int64_t stop, bool &go);

  /// η and α̃ of the live graph.
  Status constants(Asker asker, double &eta, double &alpha);

  /// Takes a member that died or left out of the graph. A match with it that
  /// was already given stands: its partner finds the exchange failing and asks
  /// again.
  Status leave(int64_t member) override;
  /// Takes a member that is not there into the graph. It numbers its calls and
  /// counts its samples from 0; the goal remembers what it had before.
  Status join(int64_t member) override;

  /// Pairs made, and how many of them were the same two again. A share of
  /// repeats above 60 % where members have several neighbours means that pairs
  /// are locked together.
  int64_t matches() const { return state.matches; }
  int64_t repeats() const { return state.repeats; }
  bool isStopping() const { return state.stopping; }

  std::string_view name() const override { return "gossip.matcher"; }
  Placement placement() const override { return Placement::Central; }
  const std::vector<Entry> &entries() const override;
  /// `next` answers `pending()` (ask.h) while the member waits.
  Status ask(std::string_view entry, Asker asker, std::span<const Value> inputs,
             std::span<Value> outputs) override;
  void save(StateWriter &out) const override;
  Status load(StateReader &in) override;

private:
  /// What is known of a member, with the latest answer to each entry: what a
  /// repeated question gets. Calls are -1 before the first.
  struct Member {
    bool live = true;
    int64_t last = -1;
    int64_t samples = 0;
    int64_t nextCall = -1;
    bool answered = false;
    Match match;
    int64_t reportCall = -1;
    bool reportGo = true;
    int64_t constantsCall = -1;
    double eta = 0, alpha = 0.5;
    /// Samples before it last joined.
    int64_t earlier = 0;
  };
  struct State {
    std::vector<Member> members;
    /// Those without an answer, in the order of their offers.
    std::vector<int64_t> waiting;
    bool stopping = false;
    int64_t matches = 0, repeats = 0;
  };

  GossipMatcher(const MatcherOptions &options, Neighbours whole);
  static Status check(const MatcherOptions &options);

  Member &at(int64_t member) {
    return state.members[static_cast<size_t>(member)];
  }
  const Member &at(int64_t member) const {
    return state.members[static_cast<size_t>(member)];
  }
  bool isMember(int64_t member) const;
  Status checkMember(int64_t member) const;
  /// Computes what follows from the live members.
  void refresh();
  /// Whether neither has met anybody else since.
  bool metLast(int64_t a, int64_t b) const;
  bool mayMeet(int64_t a, int64_t b) const;
  /// One of those that wait, by the weights of their edges.
  int64_t draw(int64_t member, const std::vector<Neighbour> &candidates) const;
  void findPartner(int64_t member);
  void answer(int64_t member, Match match);
  bool reachedGoal() const;
  /// Answers one who waits, if it need not wait any more.
  void serve(int64_t member);
  /// Answers whoever need not wait any more.
  void settle();
  static bool isSound(const State &state);

  MatcherOptions options;
  State state;
  /// Of all members, where it is made once; otherwise empty.
  Neighbours whole;
  /// Of the live ones.
  Neighbours graph;
  GossipConstants live;
  /// Of a graph that is given edge by edge.
  std::optional<EdgeUsage> usage;
};

} // namespace rubato::policy
