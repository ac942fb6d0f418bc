// What a member has done so far, in memory that forked processes share.
#pragma once

#include "program/waiting.h"

#include <atomic>
#include <cstdint>

namespace rubato {

/// Most strands of a member in a real run.
inline constexpr int maxStrands = 8;

/// Rounds between the start and the await of a reduction that are told apart.
inline constexpr int maxDelay = 3;

/// Reductions whose samples are remembered: with a lead of one, others may be
/// two further than the one that a member awaits.
inline constexpr int keptReductions = 4;

/// Ages of uploads that are told apart; the last stands for all above.
inline constexpr int maxStaleness = 64;

/// Written by one member, read by whoever reports. Times are nanoseconds of
/// the training clock.
struct MemberStatistics {
  std::atomic<int64_t> samples{0};      // of all its gradients
  std::atomic<double> loss{0};          // their sum
  std::atomic<int64_t> gradients{0};    // how many
  std::atomic<int64_t> gradientTime{0}; // inside them
  std::atomic<int64_t> rounds[maxStrands] = {};
  std::atomic<int64_t> began{0}, ended{0}; // its strands
  // Exchanges that it began, and how many with the partner of the one before.
  std::atomic<int64_t> exchanges{0}, repeated{0}, partner{-1};
  std::atomic<int64_t> accepted{0}; // of its uploads, by the server
  // Of a server: what it took by age, and whom it let begin anew.
  std::atomic<int64_t> staleness[maxStaleness] = {};
  std::atomic<int64_t> restarts{0}, dropped{0};
  // Reductions by the rounds between their start and their await.
  std::atomic<int64_t> delays[maxDelay + 1] = {};

  // Where gradients are applied one round late: reductions that were started,
  // and the samples in the last of them.
  std::atomic<int64_t> reductions{0};
  std::atomic<int64_t> reducedSamples[keptReductions] = {};
  // What each strand needs others for; the last: init, drain and model.
  WaitNote waits[maxStrands + 1];

  static_assert(std::atomic<int64_t>::is_always_lock_free &&
                std::atomic<double>::is_always_lock_free);

  /// The share of its time in which it computed no gradient; `now` counts
  /// while it runs.
  double idle(int64_t now) const {
    int64_t until = ended.load() ? ended.load() : now;
    int64_t wall = until - began.load();
    return wall > 0 ? 1 - static_cast<double>(gradientTime.load()) /
                              static_cast<double>(wall)
                    : 0;
  }
};

} // namespace rubato
