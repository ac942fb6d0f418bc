// Who may average with whom: the graphs of gossip that exist for any number of
// members, and what is left of a graph when members are gone.
#pragma once

#include "support/status.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace rubato::policy {

enum class Topology {
  Complete,
  Ring,
  /// Neighbours at distance 2^k both ways; one reached both ways counts twice.
  Exponential,
  /// The same with every neighbour counted once.
  ExponentialSimple,
  /// The first live member is the hub.
  Star,
  Path,
  /// Two complete halves and one edge between them.
  TwoClusters,
  // Those below exist for some numbers of members only, or are drawn or given
  // for one (gossip_graph.h).
  Torus,
  Hypercube,
  RandomRegular,
  ErdosRenyi,
  Edges
};

/// What a death does to the graph.
enum class Repair {
  /// The survivors stay together: they form the named graph anew where there is
  /// one of their number, otherwise the neighbours of the lost one close a ring
  /// around the gap.
  Close,
  /// The dead member's edges vanish: for graphs that mirror physical links.
  Induced
};

/// The largest group a matcher serves: constants of a graph cost its cube.
inline constexpr int64_t maxGossipMembers = 1024;

Status parseTopology(std::string_view name, Topology &topology);
std::string_view topologyName(Topology topology);
/// In the order of the enumeration.
std::vector<Topology> allTopologies();

/// Whether the graph is made once, for all members that may ever take part,
/// because it does not exist for every number of them.
bool isFixed(Topology topology);

struct Neighbour {
  int64_t member = 0;
  /// How often the edge is to be used beside other edges of the graph.
  double weight = 1;

  bool operator==(const Neighbour &) const = default;
};

/// For each member its neighbours, ascending; both ends have an edge with the
/// same weight. Departed members have none.
using Neighbours = std::vector<std::vector<Neighbour>>;

/// A graph that is not fixed, over the members whose flag in `live` is set.
Neighbours liveGraph(Topology topology, Repair repair,
                     const std::vector<bool> &live);

/// What is left of a graph where only those with a flag are live.
Neighbours liveGraph(const Neighbours &whole, Repair repair,
                     const std::vector<bool> &live);

/// Whether members with neighbours all reach each other; true of none.
bool isConnected(const Neighbours &graph);

/// Whether edges have different weights.
bool isWeighted(const Neighbours &graph);

/// The same edges with the averagings of each per gradient, where a member
/// makes one per gradient, in place of the weight: what the busier of its ends
/// can give it.
Neighbours edgeRates(const Neighbours &graph);

} // namespace rubato::policy
