// The links of members that a RateLimit slows down: messages queue there.
//
// A member has one link of two directions that do not disturb each other. A
// direction carries one message at a time, for its bytes over the rate; then
// the latency passes, which occupies nothing. So bandwidth is shared, however
// many messages are under way.
#pragma once

#include "fabric/fabric.h"

#include <atomic>
#include <cstdint>

namespace rubato {

/// Until when a member's link is busy, in nanoseconds of the steady clock. A
/// time and no lock: what a member that is killed had queued passes.
struct alignas(64) LinkWords {
  std::atomic<int64_t> out{0}, in{0};
  static_assert(std::atomic<int64_t>::is_always_lock_free);
};

class Links {
public:
  /// Before anybody sends: one for each member, where all members see them.
  void attach(LinkWords *of) { words = of; }
  Status limit(const RateLimit &limit);

  /// Whether the order of messages matters: their bytes take time.
  bool queue() const { return perByte > 0; }

  /// When a message that is ready then has come: first through the sender's
  /// link, then, not before, through the receiver's.
  int64_t send(int from, int to, int64_t ready, int64_t bytes);
  /// When a member's own link has carried its share in a collective, which
  /// occupies both directions.
  int64_t reduce(int rank, int64_t ready, int64_t bytes);

private:
  int64_t transferOf(int64_t bytes) const {
    return static_cast<int64_t>(double(bytes) * perByte);
  }

  LinkWords *words = nullptr;
  int64_t latency = 0;
  double perByte = 0; // nanoseconds
};

} // namespace rubato
