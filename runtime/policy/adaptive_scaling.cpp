// The three controllers of the batch size, and the guard of the linear one.
#include "policy/adaptive_scaling.h"

#include "policy/settings.h"

#include <algorithm>
#include <cmath>

namespace rubato::policy {

static Status refuse(const char *setting, const std::string &allowed) {
  return badSetting("adaptive.dispatch", setting, allowed);
}

Status BatchScalingOptions::validate() const {
  if (quantum < 1)
    return refuse("quantum", "at least 1");
  // Real numbers hold every batch exactly, and sums of batches stay in range.
  if (maxBatch < 1 || maxBatch > (int64_t(1) << 40))
    return refuse("max-batch", "from 1 to 2^40");
  if (maxBatch % quantum != 0)
    return refuse("max-batch",
                  "a multiple of the quantum " + std::to_string(quantum));
  if (minBatch < 0 || lowest() < quantum || lowest() > maxBatch ||
      lowest() % quantum != 0)
    return refuse("min-batch", "a multiple of the quantum " +
                                   std::to_string(quantum) +
                                   ", at most the largest batch " +
                                   std::to_string(maxBatch) +
                                   " (0 takes an eighth of the largest)");
  if (!(gain >= 0) || (std::isinf(gain) && !guard))
    return refuse("gain", "at least 0, and finite when it is not guarded");
  if (step < 0)
    return refuse("step", "at least 0");
  if (!(rate >= 0 && rate <= 1))
    return refuse("rate", "from 0 to 1");
  return Status::ok();
}

static double guardedGain(const BatchScalingOptions &options,
                          std::span<const double> batches,
                          std::span<const int64_t> updates) {
  double gain = options.gain;
  if (options.guard)
    for (size_t i = 0; i < batches.size(); ++i)
      if (updates[i] > 0)
        gain =
            std::min(gain, 0.5 * batches[i] / static_cast<double>(updates[i]));
  return gain;
}

void scaleBatches(const BatchScalingOptions &options, std::span<double> batches,
                  std::span<const int64_t> updates) {
  double mean = 0;
  for (int64_t each : updates)
    mean += static_cast<double>(each);
  if (mean == 0)
    return; // nothing was learnt about the devices
  mean /= static_cast<double>(updates.size());

  double gain = guardedGain(options, batches, updates);
  double lowest = static_cast<double>(options.lowest());
  double highest = static_cast<double>(options.maxBatch);
  for (size_t i = 0; i < batches.size(); ++i) {
    double imbalance = static_cast<double>(updates[i]) - mean;
    double next = batches[i];
    switch (options.rule) {
    case BatchRule::Linear:
      next += gain * imbalance;
      if (options.skipAtBounds && (next < lowest || next > highest))
        next = batches[i];
      break;
    case BatchRule::Sign:
      if (imbalance != 0)
        next += std::copysign(static_cast<double>(options.step), imbalance);
      break;
    case BatchRule::Proportional:
      next *= 1 + options.rate * imbalance / mean;
      break;
    case BatchRule::Fixed:
      break;
    }
    batches[i] = std::clamp(next, lowest, highest);
  }
}

int64_t dealtBatch(const BatchScalingOptions &options, double batch) {
  double quantum = static_cast<double>(options.quantum);
  double quanta = std::floor(batch / quantum + 0.5);
  return std::clamp(static_cast<int64_t>(quanta * quantum), options.lowest(),
                    options.maxBatch);
}

} // namespace rubato::policy
