// What the staleness rule can be told: how many uploads close a round, how
// stale an upload may be, and when to end.
#pragma once

#include "support/status.h"

#include <cstdint>
#include <limits>
#include <optional>

namespace rubato::policy {

/// A bound that nothing exceeds, and "wait for everybody" as a count.
inline constexpr int64_t unbounded = std::numeric_limits<int64_t>::max();
inline constexpr int64_t everyone = std::numeric_limits<int64_t>::max();

/// The defaults are the adaptive rule with bound and guard. Without `adapt`
/// the count stays fixed; `bound` replaces the bound that follows the count.
struct StalenessOptions {
  /// Uploads that close the first round; unset: a tenth of the workers,
  /// rounded, at least one.
  std::optional<int64_t> k0;
  /// Raises the count as the loss falls: k0 times the root of the loss ratio.
  bool adapt = true;
  /// Limits the growth of the count to half of itself and one per round.
  /// Against tiny batches, whose loss is so noisy that one lucky round would
  /// raise the count for good.
  bool capGrowth = false;

  /// A constant bound; unset: ceil(alpha * workers / count) - 1, at least
  /// `boundFloor`.
  std::optional<int64_t> bound;
  double alpha = 0.5;
  int64_t boundFloor = 1;

  /// Waits for half as many more when the smoothed loss exceeds its smallest
  /// value by `guardRatio`.
  bool guard = true;
  double guardRatio = 1.2;

  /// Weight of the past in the smoothed loss.
  double smoothing = 0.9;
  /// Loss before training; unset: the mean of the first reports, as many as
  /// there were workers at the start.
  std::optional<double> initialLoss;
  /// The loss that cannot be undercut, if known: subtracted from every loss.
  double lossFloor = 0;

  /// Ends the run after so many samples, or at this smoothed loss.
  std::optional<int64_t> maxSamples;
  std::optional<double> targetLoss;

  /// Says which option has no meaning and what it may be.
  Status check() const;
};

/// Weight of an upload where old ones shall count less: 1 / (1 + staleness).
inline double stalenessWeight(int64_t staleness) {
  return 1.0 / (1.0 + static_cast<double>(staleness));
}

} // namespace rubato::policy
