// A lane of a device, as those see it who move values into and out of memory
// that is not the host's.
#pragma once

#include "support/block.h"
#include "support/status.h"

#include <cstdint>

namespace rubato {

/// What is given to a lane is done in order, sooner or later. A ticket says how
/// far the lane must have come until the host's side of a copy may be read, or
/// be written again. Any thread of the member may call.
class Lane {
public:
  using Ticket = int64_t;
  virtual ~Lane() = default;

  virtual Ticket fetch(void *to, const void *from, int64_t bytes) = 0;
  virtual Ticket bring(void *to, const void *from, int64_t bytes) = 0;
  virtual Ticket clear(void *to, int64_t bytes) = 0;

  /// Whether the lane has come so far; never waits. Who asks again and again
  /// hears yes in the end.
  virtual bool reached(Ticket ticket) = 0;
  /// Whether it is known to have: a lane that runs only while somebody waits
  /// does not run for this.
  virtual bool isPast(Ticket ticket) { return reached(ticket); }
  virtual Status waitFor(Ticket ticket) = 0;

  /// Memory for a value, in which nothing is under way on this lane's strand.
  virtual SharedBlock take(int64_t bytes) = 0;
};

} // namespace rubato
