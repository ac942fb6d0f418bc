// Links that several members share towards all others: racks behind an uplink.
#pragma once

#include "support/status.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rubato::sim {

/// What its members send to others, and what others send to them, passes one
/// link of two directions. Among themselves they do not use it.
struct Uplink {
  std::string name;
  std::vector<int64_t> members; // ranks
  double bandwidth = 0;         // bytes per second; 0: no limit
  int64_t fixed = 0;   // nanoseconds of each message, whatever its size
  int64_t latency = 0; // nanoseconds
  std::string where;   // for messages: file and line

  /// How long a message occupies it, in nanoseconds.
  int64_t transfer(int64_t bytes) const;
};

/// Whether no member is behind two of them, nor named twice.
Status checkUplinks(std::span<const Uplink> uplinks);
/// Whether all their members are ranks of a run of so many.
Status checkUplinks(std::span<const Uplink> uplinks, int members);
/// By rank: the number of a member's uplink, or -1.
std::vector<int> uplinksOfRanks(std::span<const Uplink> uplinks, int members);

} // namespace rubato::sim
