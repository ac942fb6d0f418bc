// Batch sizes that equalise the update counts of unequal devices.
#pragma once

#include "support/status.h"

#include <cstdint>
#include <limits>
#include <span>

namespace rubato::policy {

/// How the batch of a device follows its update count u and the mean count.
enum class BatchRule {
  Linear,       // by gain * (u - mean)
  Sign,         // by a fixed step up or down
  Proportional, // by the factor 1 + rate * (u / mean - 1)
  Fixed         // not at all
};

struct BatchScalingOptions {
  BatchRule rule = BatchRule::Linear;
  int64_t maxBatch = 1024;
  /// 0 takes an eighth of the largest.
  int64_t minBatch = 0;
  /// Batches are dealt in multiples of this.
  int64_t quantum = 32;
  /// Linear: samples per update of imbalance. The default leaves it to the
  /// guard.
  double gain = std::numeric_limits<double>::infinity();
  /// Linear: limits the gain to half of the smallest b / u, a quarter of where
  /// the loop becomes unstable.
  bool guard = true;
  /// Linear: leaves a batch alone that would pass a bound, instead of putting
  /// it on the bound.
  bool skipAtBounds = false;
  /// Sign: samples per step.
  int64_t step = 32;
  /// Proportional: the share of the imbalance that one step removes.
  double rate = 0.5;

  int64_t lowest() const { return minBatch > 0 ? minBatch : maxBatch / 8; }
  Status validate() const;
};

/// One step of the controller, after a merge: `batches` and `updates` of the
/// live devices. Batches are real numbers here; if they were rounded at every
/// step, corrections below half a quantum would never add up to one.
void scaleBatches(const BatchScalingOptions &options, std::span<double> batches,
                  std::span<const int64_t> updates);

/// The batch that is dealt: whole quanta within the bounds.
int64_t dealtBatch(const BatchScalingOptions &options, double batch);

} // namespace rubato::policy
