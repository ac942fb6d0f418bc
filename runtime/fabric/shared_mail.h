// The two words between a worker and the server of a shared mailbox.
#pragma once

#include <cstdint>

namespace rubato::shared {

/// WorkerWords::latest.
struct Latest {
  int64_t stamp = 0;  // order of arrival
  bool fresh = false; // the server has not looked at it
  int buffer = 0;

  static Latest of(uint64_t word) {
    return {int64_t(word >> 3), (word >> 2 & 1) != 0, int(word & 3)};
  }
  uint64_t word() const {
    return uint64_t(stamp) << 3 | uint64_t(fresh) << 2 | uint64_t(buffer);
  }
};

/// WorkerWords::mail. Ticket 0: nothing was granted yet.
struct Mail {
  int64_t ticket = 0;
  int snapshot = 0;

  static Mail of(uint64_t word) {
    return {int64_t(word >> 8), int(word & 0xff)};
  }
  uint64_t word() const { return uint64_t(ticket) << 8 | uint64_t(snapshot); }
};

} // namespace rubato::shared
