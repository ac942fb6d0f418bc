// Uses of the edges of a graph.
#include "policy/gossip_usage.h"

#include <algorithm>
#include <limits>

namespace rubato::policy {

/// So many averagings an edge may be behind before others wait for it.
static constexpr double slack = 1;

EdgeUsage::EdgeUsage(const Neighbours &graph)
    : edges(graph.size()), made(graph.size()) {
  std::vector<double> total(graph.size());
  for (size_t i = 0; i < graph.size(); ++i)
    for (const Neighbour &each : graph[i])
      total[i] += each.weight;
  for (size_t i = 0; i < graph.size(); ++i)
    for (const Neighbour &each : graph[i])
      edges[i].push_back(
          {each.member, each.weight / total[i],
           each.weight / total[static_cast<size_t>(each.member)]});
}

auto &EdgeUsage::find(auto &edges, int64_t a, int64_t b) {
  auto &list = edges[static_cast<size_t>(a)];
  return *std::lower_bound(
      list.begin(), list.end(), b,
      [](const Used &each, int64_t member) { return each.member < member; });
}

double EdgeUsage::behind(int64_t member, const Used &edge) const {
  auto of = [&](int64_t who, double share) {
    return share * static_cast<double>(made[static_cast<size_t>(who)]);
  };
  return std::min(of(member, edge.share), of(edge.member, edge.shareOfOther)) -
         static_cast<double>(edge.count);
}

double EdgeUsage::mostBehind(int64_t member) const {
  double most = -std::numeric_limits<double>::infinity();
  for (const Used &each : edges[static_cast<size_t>(member)])
    most = std::max(most, behind(member, each));
  return most;
}

bool EdgeUsage::mayUse(int64_t a, int64_t b) const {
  // The same at both ends, to the last digit: the products are the same.
  double own = behind(a, find(edges, a, b));
  return std::max(mostBehind(a), mostBehind(b)) <= std::max(own, slack);
}

bool EdgeUsage::isBehind(int64_t a, int64_t b) const {
  return behind(a, find(edges, a, b)) > slack;
}

void EdgeUsage::use(int64_t a, int64_t b) {
  ++find(edges, a, b).count;
  ++find(edges, b, a).count;
  ++made[static_cast<size_t>(a)];
  ++made[static_cast<size_t>(b)];
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
    made[i] = 0;
    for (Used &each : edges[i]) {
      if (next == counts.size() || counts[next] < 0 ||
          counts[next] > std::numeric_limits<int64_t>::max() - made[i])
        return false;
      each.count = counts[next++];
      made[i] += each.count;
    }
  }
  // Both ends of an edge have its count.
  for (size_t i = 0; i < edges.size(); ++i)
    for (const Used &each : edges[i])
      if (find(edges, each.member, static_cast<int64_t>(i)).count != each.count)
        return false;
  return next == counts.size();
}

} // namespace rubato::policy
