// What a strand asked of its environment in a recorded run and what it was
// told, one event after another, as bytes.
//
// An event is an operation, the numbers that the strand gave and the numbers
// that it got: a count, then each number as a zigzag varint. Real numbers are
// there with their bits. Values on their way to others are not recorded, only
// a checksum of what arrived: a replay computes them again.
#pragma once

#include "support/status.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rubato {

/// The numbers of these are the format: add at the end, and count the version
/// of the file up (program/run_log.h).
enum class Operation : uint8_t {
  Members,       // -> how many
  Rank,          // -> which
  Now,           // -> seconds
  StopRequested, // -> 0 or 1
  Quanta,        // -> how many
  RoundSamples,  // -> how many
  Lock,          // lock -> turn, counted by all strands of the member
  Meet,          // rendezvous -> met
  AllReduce,     // channel
  Broadcast,     // channel, root
  Exchange,      // channel, peer, tag
  Pull,          // channel, after
  Done,          // -> 0 or 1
  Await,         // -> 0, then of a pull ticket and go, then the checksum; or
                 //    1: the round is run again
  Repeated,      // count
  Push,          // channel, ticket
  Collect,       // channel, first, by staleness -> who, checksum
  Grant,         // channel, to all, to, stale after
  Close,         // channel
  Workers,       // channel -> how many
  Ask,           // policy, entry, inputs -> answers
  Commit,        // seen, expected -> ok
  NextBatch,     // source, channel, keys -> rows
  Next,          // go
  Model,         // -> checksum of the flat parameters
  DataSamples    // -> how many
};
inline constexpr size_t operationCount = 26;

struct RunEvent {
  Operation operation = Operation::Members;
  std::vector<int64_t> asked, answered;
};

using Numbers = std::span<const int64_t>;

/// "push(channel 0, ticket 7)".
std::string describe(Operation operation, Numbers asked);

/// Appends one event to `bytes`.
void writeEvent(Operation operation, Numbers asked, Numbers answered,
                std::string &bytes);

/// Takes the first event off `bytes`. False: there is none, or no whole one.
bool readEvent(std::string_view &bytes, RunEvent &event);

} // namespace rubato
