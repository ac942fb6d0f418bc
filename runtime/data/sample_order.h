// The endless stream of samples that rounds, queues and ranges take from.
//
// A *place* counts from the start of the run, epoch after epoch; the sample at
// a place is that of the epoch's permutation. Rows below are samples.
#pragma once

#include <cstdint>
#include <span>

namespace rubato {

struct SampleOrder {
  int64_t samples = 0; // of the data set
  uint64_t seed = 0;
  bool shuffle = true;

  int64_t epochOf(int64_t place) const { return place / samples; }

  /// Turns places into samples, where they lie.
  void resolve(std::span<int64_t> places) const;

  /// Samples drawn by key, with replacement: the same for the same member and
  /// keys.
  void draw(int64_t member, std::span<const int64_t> keys,
            std::span<int64_t> rows) const;
};

/// Micro-batch `number` of the data set in its own order, into `rows`, of the
/// size of a quantum. How many rows there are: the last may be short, and there
/// is nothing behind it.
int64_t wholeBatch(int64_t number, int64_t samples, std::span<int64_t> rows);

} // namespace rubato
