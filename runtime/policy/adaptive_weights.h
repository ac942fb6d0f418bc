// Weights of the replicas in a merge.
#pragma once

#include "support/status.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rubato::policy {

enum class Weighting {
  Balanced, // by batch where the update counts are equal, else by update count
  Updates,  // always by update count
  Uniform   // the plain mean, never perturbed
};

struct MergeWeightOptions {
  Weighting weighting = Weighting::Balanced;
  /// The share by which the weight of the most updated replica rises and that
  /// of the least updated one falls; 0 switches it off.
  double perturbation = 0.1;
  /// Perturbs only while every norm / dimension lies below the threshold.
  double normThreshold = 0.1;
  double dimension = 1;
  /// Brings the sum back to 1 after the perturbation. A sum above 1 scales
  /// every weight of the model at every merge.
  bool renormalise = true;

  Status validate() const;
};

struct MergeWeights {
  std::vector<double> alpha;
  /// The sum the merge is meant to have, whoever dies on the way.
  double sum = 1;
};

/// Whether the norms of the replicas allow a perturbation.
bool normGateOpen(const MergeWeightOptions &options,
                  std::span<const double> norms);

/// The weights of replicas after `updates` updates with `batches`. A replica
/// without an update has weight 0, unless nobody made one.
MergeWeights mergeWeights(const MergeWeightOptions &options,
                          std::span<const int64_t> updates,
                          std::span<const int64_t> batches, bool perturb);

} // namespace rubato::policy
