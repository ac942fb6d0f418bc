// The graph of a group from its settings: by name, drawn, or given edge by
// edge.
#pragma once

#include "policy/gossip_topology.h"

#include <map>
#include <string>
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

/// Collects edges from text, one by one, and tells what is wrong with them. An
/// edge joins two different members, occurs once and has a positive weight;
/// weights differ by a factor of a million at most; together edges connect all
/// members up to the largest number.
class EdgeReader {
public:
  /// "0 1" or "1 2 0.5": two members and a weight, 1 if it is left out. `place`
  /// is where it stands, for the error of another that is the same.
  Status add(std::string_view text, const std::string &place);
  /// The edges, with weights divided by the largest.
  Status finish(std::vector<Edge> &all);

private:
  std::vector<Edge> edges;
  std::map<std::pair<int64_t, int64_t>, std::string> places;
  double least = 0, most = 0;
};

/// Reads "0 1, 1 2 0.5".
Status parseEdges(std::string_view text, std::vector<Edge> &edges);

} // namespace rubato::policy
