// The constants of accelerated gossip, η and α̃, from the live graph.
#pragma once

#include "policy/gossip_topology.h"

namespace rubato::policy {

struct GossipConstants {
  /// Inverse of the smallest positive eigenvalue of the Laplacian weighted by
  /// the rates of its edges; 0 without edges.
  double chi1 = 0;
  /// Half the largest effective resistance of an edge; 0 without edges.
  double chi2 = 0;
  /// The rate of mixing, per expected gradient.
  double eta = 0;
  /// The weight of an averaging in the second variable.
  double alpha = 0.5;
};

/// `rate` is the number of averagings per member and gradient. An edge gets the
/// rate that the busier of its ends can give it (edgeRates): exact on regular
/// graphs. Of a graph in parts, the part that agrees slowest decides.
GossipConstants gossipConstants(const Neighbours &graph, double rate);

} // namespace rubato::policy
