// The graph of a group from its settings: by name, drawn, or given edge by
// edge.
#pragma once

#include "policy/gossip_topology.h"

#include <string_view>

namespace rubato::policy {

struct Edge {
  int64_t a = 0, b = 0;
  double weight = 1;
};

struct GraphOptions {
  Topology topology = Topology::Complete;
  /// Of a torus; 0: as many as make it most square.
  int64_t rows = 0;
  /// Neighbours of a member, in random-regular of each and in erdos-renyi on
  /// average; 0: 4 (or all, if those are fewer), and twice the logarithm of the
  /// number of members. Draws that are not connected are drawn again, so a
  /// small average comes out larger.
  double degree = 0;
  /// Of random graphs. Not that of the run: the graph is the same in each.
  int64_t seed = 0;
  /// Of Topology::Edges.
  std::vector<Edge> edges = {};
};

/// The graph over all of so many members. The error says for which numbers
/// there is one.
Status makeGraph(const GraphOptions &options, int64_t members,
                 Neighbours &graph);

/// Reads "0 1, 1 2 0.5": two members and a weight, 1 if it is left out. An edge
/// joins two different members, occurs once and has a positive weight; together
/// they connect all members up to the largest number.
Status parseEdges(std::string_view text, std::vector<Edge> &edges);

} // namespace rubato::policy
