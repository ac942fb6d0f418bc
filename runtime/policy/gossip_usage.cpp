// Uses of the edges of a weighted graph.
#include "policy/gossip_usage.h"

#include <algorithm>
#include <limits>

namespace rubato::policy {

/// So far, in gradients, an edge may be ahead: without it the first who are
/// free would often wait for one certain other.
static constexpr double slack = 5;

EdgeUsage::EdgeUsage(const Neighbours &graph) {
  for (const std::vector<Neighbour> &list : edgeRates(graph)) {
    edges.emplace_back();
    for (const Neighbour &each : list)
      edges.back().push_back({each.member, each.weight});
  }
  first.resize(edges.size());
  for (size_t i = 0; i < edges.size(); ++i)
    refresh(static_cast<int64_t>(i));
}

void EdgeUsage::refresh(int64_t member) {
  auto i = static_cast<size_t>(member);
  first[i] = std::numeric_limits<double>::infinity();
  for (const Used &each : edges[i])
    first[i] = std::min(first[i], each.due());
}

auto &EdgeUsage::find(auto &edges, int64_t a, int64_t b) {
  auto &list = edges[static_cast<size_t>(a)];
  return *std::lower_bound(
      list.begin(), list.end(), b,
      [](const Used &each, int64_t member) { return each.member < member; });
}

bool EdgeUsage::mayUse(int64_t a, int64_t b) const {
  return find(edges, a, b).due() - slack <=
         std::min(first[static_cast<size_t>(a)], first[static_cast<size_t>(b)]);
}

void EdgeUsage::use(int64_t a, int64_t b) {
  ++find(edges, a, b).count;
  ++find(edges, b, a).count;
  refresh(a);
  refresh(b);
}

std::vector<int64_t> EdgeUsage::counts() const {
  std::vector<int64_t> all;
  for (const std::vector<Used> &list : edges)
    for (const Used &each : list)
      all.push_back(each.count);
  return all;
}

bool EdgeUsage::setCounts(const std::vector<int64_t> &counts) {
  size_t next = 0;
  for (size_t i = 0; i < edges.size(); ++i) {
    for (Used &each : edges[i]) {
      if (next == counts.size() || counts[next] < 0)
        return false;
      each.count = counts[next++];
    }
    refresh(static_cast<int64_t>(i));
  }
  return next == counts.size();
}

} // namespace rubato::policy
