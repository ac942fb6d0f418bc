// Options of adaptive.dispatch.
#pragma once

#include "policy/adaptive_scaling.h"
#include "policy/adaptive_weights.h"

namespace rubato::policy {

struct AdaptiveOptions {
  BatchScalingOptions scaling;
  MergeWeightOptions merging;
  /// Samples between merges; 0 takes a hundred of the largest batches.
  int64_t megaBatch = 0;
  /// Samples of the whole run; 0 for a run that others end.
  int64_t totalSamples = 0;
  /// Deals each member the same share of a mega-batch, however fast it is.
  bool equalShares = false;
  /// While fewer samples than this are dealt, every batch is `warmupBatch`
  /// (0 takes the smallest), and nothing is scaled or perturbed.
  int64_t warmupSamples = 0;
  int64_t warmupBatch = 0;
  /// Mega-batches after the warm-up whose update counts are not steered by:
  /// the first times of a device tell of cold caches.
  int64_t discarded = 1;

  int64_t samplesPerMerge() const {
    return megaBatch > 0 ? megaBatch : 100 * scaling.maxBatch;
  }
  int64_t batchInWarmup() const {
    return warmupBatch > 0 ? warmupBatch : scaling.lowest();
  }
  Status validate() const;
};

} // namespace rubato::policy
