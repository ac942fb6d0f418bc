// Who may average with whom: the named graphs of gossip, over live members.
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
  Path
};

/// What a death does to the graph.
enum class Repair {
  /// The survivors form the named graph anew: a ring stays a ring.
  Close,
  /// The dead member's edges vanish: for graphs that mirror physical links.
  Induced
};

/// The largest group a matcher serves: constants of a graph cost its cube.
inline constexpr int64_t maxGossipMembers = 1024;

Status parseTopology(std::string_view name, Topology &topology);
std::string_view topologyName(Topology topology);

/// For each member its neighbours, ascending. A neighbour that occurs twice is
/// met twice as often. Departed members have none.
using Neighbours = std::vector<std::vector<int64_t>>;

/// The graph over the members whose flag in `live` is set.
Neighbours liveGraph(Topology topology, Repair repair,
                     const std::vector<bool> &live);

/// How many different members are in a sorted list of neighbours.
int64_t degree(const std::vector<int64_t> &neighbours);

} // namespace rubato::policy
