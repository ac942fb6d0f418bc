// The links of virtual members: what travels queues.
//
// A member has one link of two directions that do not disturb each other, and
// so has an uplink that several members share (sim/uplinks.h). A direction
// carries one message at a time, in the order in which they are ready. So
// bandwidth is shared, however many messages are under way.
#pragma once

#include "sim/costs.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rubato::sim {

/// From one member to another.
struct Message {
  int from = 0, to = 0;
  int64_t ready = 0;
  int64_t bytes = 0;
  Passage passage; // through a member's own link
  /// Whose own link is slow. Uplinks between the two always are.
  enum class Slow { Both, Sender, Receiver } slow = Slow::Both;
};

class Links {
public:
  explicit Links(int members, std::span<const Uplink> uplinks = {});

  /// Out of the sender's link, through the uplinks between the two, into the
  /// receiver's link: each is through not before the one before it, and bytes
  /// flow on as they come. When the message is there.
  int64_t send(const Message &message);

  /// A collective of all members occupies all links, both ways. When the last
  /// of them has carried it; so those of a channel are served in order.
  int64_t together(int64_t ready, int64_t transfer);

private:
  struct Link {
    int64_t out = 0, in = 0; // busy until then
  };

  std::vector<Link> links;   // by rank
  std::vector<Link> shared;  // by uplink
  std::vector<int> uplinkOf; // by rank; -1: none
  std::span<const Uplink> uplinks;
};

} // namespace rubato::sim
