// What a strand asked of its environment in a recorded run and what it was
// told, one event after another, as bytes.
//
// An event is an operation, the numbers that the strand gave and the numbers
// that it got: a count, then each number as a zigzag varint. Real numbers are
// there with their bits. Values on their way to others are not recorded, only
// a checksum of what arrived: a replay computes them again. What is asked, in
// calls.def; what is answered:
//
//   a fact       its number; the clock's as bits
//   lock         the turn, counted by all strands of the member
//   meet, done, commit, workers, ask: what the program got
//   await        0, then of a pull ticket and go, then the checksum; or 1: the
//                round is run again
//   collect      who, the checksum
//   next_batch   rows
//   model        the checksum of the flat parameters
#pragma once

#include "abi/calls.h"
#include "support/status.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rubato {

struct RunEvent {
  Call operation = Call::None;
  std::vector<int64_t> asked, answered;
};

using Numbers = std::span<const int64_t>;

/// "push(channel 0, ticket 7)".
std::string describe(Call operation, Numbers asked);

/// Appends one event to `bytes`.
void writeEvent(Call operation, Numbers asked, Numbers answered,
                std::string &bytes);

/// Takes the first event off `bytes`. False: there is none, or no whole one.
bool readEvent(std::string_view &bytes, RunEvent &event);

} // namespace rubato
