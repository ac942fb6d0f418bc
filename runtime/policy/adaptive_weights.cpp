// Normalised merging with a perturbation of the extremes.
#include "policy/adaptive_weights.h"

#include "policy/settings.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rubato::policy {

Status MergeWeightOptions::validate() const {
  if (!(perturbation >= 0 && perturbation < 1))
    return badSetting("adaptive.dispatch", "perturbation",
                      "at least 0 and below 1");
  if (!(dimension > 0) || !std::isfinite(dimension))
    return badSetting("adaptive.dispatch", "dimension",
                      "a positive number, by which norms are divided");
  if (std::isnan(normThreshold))
    return badSetting("adaptive.dispatch", "norm-threshold",
                      "a number or \"unlimited\"");
  return Status::ok();
}

bool normGateOpen(const MergeWeightOptions &options,
                  std::span<const double> norms) {
  // A norm that is not a number closes the gate.
  return std::all_of(norms.begin(), norms.end(), [&](double norm) {
    return norm / options.dimension < options.normThreshold;
  });
}

MergeWeights mergeWeights(const MergeWeightOptions &options,
                          std::span<const int64_t> updates,
                          std::span<const int64_t> batches, bool perturb) {
  MergeWeights result;
  result.alpha.assign(updates.size(), 0);
  std::vector<size_t> active;
  for (size_t i = 0; i < updates.size(); ++i)
    if (updates[i] > 0)
      active.push_back(i);
  if (active.empty()) {
    active.resize(updates.size());
    std::iota(active.begin(), active.end(), size_t(0));
  }
  if (active.empty())
    return result;

  // The first of equals: the same choice wherever it is made.
  auto fewer = [&](size_t a, size_t b) { return updates[a] < updates[b]; };
  size_t least = *std::min_element(active.begin(), active.end(), fewer);
  size_t most = *std::max_element(active.begin(), active.end(), fewer);
  bool equal = updates[least] == updates[most];

  double total = 0;
  for (size_t i : active) {
    double share = 1;
    if (options.weighting == Weighting::Balanced && equal)
      share = static_cast<double>(batches[i]);
    else if (options.weighting != Weighting::Uniform && updates[i] > 0)
      share = static_cast<double>(updates[i]);
    total += result.alpha[i] = share;
  }
  for (double &alpha : result.alpha)
    alpha /= total;

  if (!perturb || equal || options.weighting == Weighting::Uniform)
    return result;
  double gain = options.perturbation * result.alpha[most];
  double loss = options.perturbation * result.alpha[least];
  result.alpha[most] += gain;
  result.alpha[least] -= loss;
  double sum = 1 + gain - loss;
  if (!options.renormalise) {
    result.sum = sum;
    return result;
  }
  for (double &alpha : result.alpha)
    alpha /= sum;
  return result;
}

} // namespace rubato::policy
