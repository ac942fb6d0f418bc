// How often the edges of a weighted graph were used, and which may be used
// next.
//
// Who is free first finds whoever waits, so weights in a draw among those that
// wait move little: an edge with a tenth of the weight of others is used almost
// as often. Constants computed from the weights would then take other edges for
// busier than they are, and averaging with momentum may diverge. So an edge may
// be used only while it is not far ahead of the others at both its ends. The
// one that is farthest behind always may, so not all wait.
#pragma once

#include "policy/gossip_topology.h"

namespace rubato::policy {

class EdgeUsage {
public:
  EdgeUsage() = default;
  /// Nothing is used yet.
  explicit EdgeUsage(const Neighbours &graph);

  bool mayUse(int64_t a, int64_t b) const;
  void use(int64_t a, int64_t b);

  /// How often every edge was used, list after list.
  std::vector<int64_t> counts() const;
  /// False where there are not as many, or negative ones.
  bool setCounts(const std::vector<int64_t> &counts);

private:
  struct Used {
    int64_t member;
    double rate;
    int64_t count = 0;
    /// When the next use of it would be due, in gradients.
    double due() const { return static_cast<double>(count + 1) / rate; }
  };
  /// The edge from a to b, as a has it.
  static auto &find(auto &edges, int64_t a, int64_t b);

  std::vector<std::vector<Used>> edges;
  /// For each member, that of the edge that is farthest behind.
  std::vector<double> first;
  void refresh(int64_t member);
};

} // namespace rubato::policy
