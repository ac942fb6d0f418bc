// How often the edges of a graph were used, and which may be used next.
//
// Who is free first finds whoever waits, so weights in a draw among those that
// wait move little: an edge with a tenth of the weight of others is used almost
// as often. And members of a ring that do not repeat pairs fall into turns
// among themselves, in which an edge that leads out of it has hardly a place.
// Constants computed from the graph would then take edges for busier than they
// are. So an edge that is behind its share of what both its ends have made goes
// before the others there. Members that are slow have made little, and nobody
// waits for them because of it. The edge that is farthest behind may always be
// used, so not all wait.
#pragma once

#include "policy/gossip_topology.h"

namespace rubato::policy {

class EdgeUsage {
public:
  /// Nothing is used yet.
  explicit EdgeUsage(const Neighbours &graph);

  bool mayUse(int64_t a, int64_t b) const;
  /// Whether the edge is so far behind its share that others wait for it.
  bool isBehind(int64_t a, int64_t b) const;
  void use(int64_t a, int64_t b);

  /// How often every edge was used, list after list.
  std::vector<int64_t> counts() const;
  /// False where there are not as many, or negative ones, or those of the two
  /// ends of an edge differ, or a member's are too many to add up.
  bool setCounts(const std::vector<int64_t> &counts);

private:
  struct Used {
    int64_t member;
    /// Of the averagings of either end.
    double share, shareOfOther;
    int64_t count = 0;
  };
  /// The edge from a to b, as a has it.
  static auto &find(auto &edges, int64_t a, int64_t b);
  /// How many averagings an edge is behind, and the most of one's edges.
  double behind(int64_t member, const Used &edge) const;
  double mostBehind(int64_t member) const;

  std::vector<std::vector<Used>> edges;
  /// Averagings of each member.
  std::vector<int64_t> made;
};

} // namespace rubato::policy
