// What members computed in rounds that they share, on its way to whoever
// reports; in shared memory.
#pragma once

#include "support/shared_ring.h"

#include <cstdint>

namespace rubato {

/// A member's part of the rounds up to and with `round`, since its last one.
struct RoundShare {
  int64_t round = -1;
  int64_t samples = 0;
  double loss = 0;  // the sum
  int64_t time = 0; // when it ended, in nanoseconds since the run began
};

/// A member that finds it full tells two rounds as one.
using RoundBoard = SharedRing<RoundShare, 512>;

} // namespace rubato
