// One queue of samples for all members, in memory that forked processes share.
#pragma once

#include "support/status.h"

#include <cstdint>
#include <pthread.h>
#include <span>

namespace rubato {

/// Hands out places (data/sample_order.h) in their order. What is given back
/// is handed out again before anything new, and no batch mixes epochs; so
/// every sample of an epoch is consumed once.
class SampleQueue {
public:
  /// Bytes of a queue that keeps up to `returns` places that were given back.
  static int64_t bytes(int64_t returns) {
    return static_cast<int64_t>(sizeof(SampleQueue)) + 8 * returns;
  }
  /// Makes one in that many zeroed bytes, aligned to 64. It lives as long as
  /// the bytes and needs no end.
  static SampleQueue *make(void *bytes, int64_t samples, int64_t returns);

  /// Takes up to `places.size()` places; says how many.
  int64_t take(std::span<int64_t> places);
  /// What take would give.
  int64_t peek(std::span<int64_t> places);
  /// For another take.
  Status giveBack(std::span<const int64_t> places);

private:
  int64_t look(std::span<int64_t> places, int64_t &returnsTaken,
               int64_t &freshTaken) const;
  void lock();
  void unlock() { pthread_mutex_unlock(&mutex); }
  int64_t *returned() { return reinterpret_cast<int64_t *>(this + 1); }
  const int64_t *returned() const {
    return reinterpret_cast<const int64_t *>(this + 1);
  }

  alignas(64) pthread_mutex_t mutex;
  int64_t samples = 0;       // of an epoch
  int64_t fresh = 0;         // the first place that nobody had
  int64_t returnedCount = 0; // places behind this object, ascending
  int64_t room = 0;
};

} // namespace rubato
