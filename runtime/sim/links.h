// The links of virtual members: what travels queues.
//
// A member has one link of two directions that do not disturb each other. A
// direction carries one message at a time, in the order in which they are
// ready. So bandwidth is shared, however many messages are under way.
#pragma once

#include "sim/costs.h"

#include <cstdint>
#include <vector>

namespace rubato::sim {

class Links {
public:
  explicit Links(int members) : links(static_cast<size_t>(members)) {}

  /// A message from one member to another that is ready then: first through
  /// the sender's link, then, not before, through the receiver's. When it is
  /// there.
  int64_t send(int from, int to, int64_t ready, const Passage &passage);
  /// The same, where nothing but the sender's or the receiver's link is slow.
  int64_t sendFrom(int rank, int64_t ready, const Passage &passage);
  int64_t sendTo(int rank, int64_t ready, const Passage &passage);

  /// A collective of all members occupies all links, both ways. When the last
  /// of them has carried it; so those of a channel are served in order.
  int64_t together(int64_t ready, int64_t transfer);

private:
  struct Link {
    int64_t out = 0, in = 0; // busy until then
  };
  Link &link(int rank) { return links[static_cast<size_t>(rank)]; }

  std::vector<Link> links; // by rank
};

} // namespace rubato::sim
