// The graphs of gossip that exist for any number of members, and deaths.
#include "policy/gossip_topology.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

namespace rubato::policy {

static constexpr std::array<std::string_view, 12> names = {
    "complete",  "ring",           "exponential",  "exponential-simple",
    "star",      "path",           "two-clusters", "torus",
    "hypercube", "random-regular", "erdos-renyi",  "edges"};

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

std::vector<Topology> allTopologies() {
  std::vector<Topology> all;
  for (size_t i = 0; i < names.size(); ++i)
    all.push_back(static_cast<Topology>(i));
  return all;
}

bool isFixed(Topology topology) { return topology >= Topology::Torus; }

/// Positions of the neighbours of position `i` among `n`; one that is met twice
/// as often occurs twice.
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
  case Topology::TwoClusters: {
    int64_t half = (n + 1) / 2;
    for (int64_t j = i < half ? 0 : half; j < (i < half ? half : n); ++j)
      add(j);
    if (i == half - 1 && half < n)
      add(half);
    if (i == half)
      add(half - 1);
    break;
  }
  case Topology::Torus:
  case Topology::Hypercube:
  case Topology::RandomRegular:
  case Topology::ErdosRenyi:
  case Topology::Edges:
    break; // isFixed
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
      if (!live[static_cast<size_t>(other)])
        continue;
      auto &list = graph[static_cast<size_t>(self)];
      if (!list.empty() && list.back().member == other)
        ++list.back().weight;
      else
        list.push_back({other, 1});
    }
  }
  return graph;
}

/// Joins the neighbours of a lost member in a ring around the gap; an edge that
/// is new has the weight of the weaker of the two it takes the place of.
static void close(std::vector<std::map<int64_t, double>> &near,
                  const std::map<int64_t, double> &around) {
  auto join = [&](auto &a, auto &b) {
    double weight = std::min(a.second, b.second);
    near[static_cast<size_t>(a.first)].emplace(b.first, weight);
    near[static_cast<size_t>(b.first)].emplace(a.first, weight);
  };
  for (auto at = around.begin(); at != around.end(); ++at)
    if (auto next = std::next(at); next != around.end())
      join(*at, *next);
  if (around.size() > 2)
    join(*around.begin(), *around.rbegin());
}

Neighbours liveGraph(const Neighbours &whole, Repair repair,
                     const std::vector<bool> &live) {
  std::vector<std::map<int64_t, double>> near(whole.size());
  for (size_t i = 0; i < whole.size(); ++i)
    for (const Neighbour &each : whole[i])
      near[i].emplace(each.member, each.weight);
  for (size_t i = 0; i < whole.size(); ++i) {
    if (live[i])
      continue;
    std::map<int64_t, double> around = std::move(near[i]);
    near[i].clear();
    for (auto [other, weight] : around)
      near[static_cast<size_t>(other)].erase(static_cast<int64_t>(i));
    if (repair == Repair::Close)
      close(near, around);
  }
  Neighbours graph(whole.size());
  for (size_t i = 0; i < whole.size(); ++i)
    for (auto [other, weight] : near[i])
      graph[i].push_back({other, weight});
  return graph;
}

bool isConnected(const Neighbours &graph) {
  std::vector<bool> reached(graph.size());
  std::vector<size_t> todo;
  size_t count = 0, members = 0;
  for (size_t i = 0; i < graph.size(); ++i) {
    members += !graph[i].empty();
    if (todo.empty() && count == 0 && !graph[i].empty()) {
      todo.push_back(i);
      reached[i] = true;
    }
    while (!todo.empty()) {
      size_t at = todo.back();
      todo.pop_back();
      ++count;
      for (const Neighbour &each : graph[at])
        if (auto next = static_cast<size_t>(each.member); !reached[next]) {
          reached[next] = true;
          todo.push_back(next);
        }
    }
  }
  return count == members;
}

bool isWeighted(const Neighbours &graph) {
  double first = 0;
  for (const auto &list : graph)
    for (const Neighbour &each : list) {
      if (first == 0)
        first = each.weight;
      if (each.weight != first)
        return true;
    }
  return false;
}

Neighbours edgeRates(const Neighbours &graph) {
  std::vector<double> total(graph.size());
  for (size_t i = 0; i < graph.size(); ++i)
    for (const Neighbour &each : graph[i])
      total[i] += each.weight;
  Neighbours rates = graph;
  for (size_t i = 0; i < graph.size(); ++i)
    for (Neighbour &each : rates[i])
      each.weight /=
          std::max(total[i], total[static_cast<size_t>(each.member)]);
  return rates;
}

} // namespace rubato::policy
