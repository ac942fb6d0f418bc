// The named graphs of gossip.
#include "policy/gossip_topology.h"

#include <algorithm>
#include <array>
#include <string>

namespace rubato::policy {

static constexpr std::array<std::string_view, 6> names = {
    "complete", "ring", "exponential", "exponential-simple", "star", "path"};

Status parseTopology(std::string_view name, Topology &topology) {
  auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) {
    std::string known;
    for (std::string_view each : names)
      known += (known.empty() ? "" : ", ") + std::string(each);
    return Status::user("unknown gossip topology '" + std::string(name) +
                        "'; choose one of " + known);
  }
  topology = static_cast<Topology>(at - names.begin());
  return Status::ok();
}

std::string_view topologyName(Topology topology) {
  return names[static_cast<size_t>(topology)];
}

/// Positions of the neighbours of position `i` among `n`.
static std::vector<int64_t> positions(Topology topology, int64_t i, int64_t n) {
  std::vector<int64_t> result;
  auto add = [&](int64_t j) {
    if (j != i)
      result.push_back(j);
  };
  switch (topology) {
  case Topology::Complete:
    for (int64_t j = 0; j < n; ++j)
      add(j);
    break;
  case Topology::Ring:
    add((i + 1) % n);
    add((i + n - 1) % n);
    break;
  case Topology::Exponential:
  case Topology::ExponentialSimple:
    for (int64_t step = 1; step < n; step *= 2) {
      add((i + step) % n);
      add((i + n - step) % n);
    }
    break;
  case Topology::Star:
    for (int64_t j = 0; j < n; ++j)
      if (i == 0 || j == 0)
        add(j);
    break;
  case Topology::Path:
    if (i > 0)
      add(i - 1);
    if (i + 1 < n)
      add(i + 1);
    break;
  }
  std::sort(result.begin(), result.end());
  if (topology == Topology::ExponentialSimple)
    result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

Neighbours liveGraph(Topology topology, Repair repair,
                     const std::vector<bool> &live) {
  std::vector<int64_t> members;
  for (size_t i = 0; i < live.size(); ++i)
    if (live[i] || repair == Repair::Induced)
      members.push_back(static_cast<int64_t>(i));
  Neighbours graph(live.size());
  int64_t n = static_cast<int64_t>(members.size());
  for (int64_t i = 0; i < n; ++i) {
    int64_t self = members[static_cast<size_t>(i)];
    if (!live[static_cast<size_t>(self)])
      continue;
    for (int64_t j : positions(topology, i, n)) {
      int64_t other = members[static_cast<size_t>(j)];
      if (live[static_cast<size_t>(other)])
        graph[static_cast<size_t>(self)].push_back(other);
    }
  }
  return graph;
}

int64_t degree(const std::vector<int64_t> &neighbours) {
  int64_t count = 0;
  for (size_t k = 0; k < neighbours.size(); ++k)
    count += k == 0 || neighbours[k] != neighbours[k - 1];
  return count;
}

} // namespace rubato::policy
