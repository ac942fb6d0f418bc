// Virtual time is counted in whole nanoseconds, and never runs over.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace rubato::sim {

/// Ten years at most: nobody waits longer.
inline int64_t nanoseconds(double seconds) {
  constexpr double longest = 3.2e8;
  return std::llround(std::clamp(seconds, 0.0, longest) * 1e9);
}

/// A moment so much later, where queues are endless 146 years at most: what is
/// added to it still fits.
inline int64_t later(int64_t moment, int64_t duration) {
  constexpr int64_t last = INT64_MAX / 2;
  return moment >= last ? moment : std::min(last, moment + duration);
}

} // namespace rubato::sim
