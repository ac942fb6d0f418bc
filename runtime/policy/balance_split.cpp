// Largest remainder with a floor of one.
#include "policy/balance_split.h"

#include <algorithm>
#include <cmath>

namespace rubato::policy {

std::vector<int64_t> splitBySpeed(int64_t total,
                                  std::span<const double> speeds) {
  size_t count = speeds.size();
  std::vector<int64_t> result(count);
  if (count == 0 || total <= 0)
    return result;
  // Relative to the fastest, so that no sum overflows.
  double fastest = *std::max_element(speeds.begin(), speeds.end());
  std::vector<double> weights;
  for (double speed : speeds)
    weights.push_back(speed / fastest);

  // A 1 for those below it leaves less for the others, so that more of them
  // may fall below.
  bool enough = total >= static_cast<int64_t>(count);
  int64_t rest = total;
  double sum = 0;
  auto quota = [&](size_t i) {
    return static_cast<double>(rest) * (weights[i] / sum);
  };
  for (int64_t below = 1; below > 0;) {
    below = 0;
    sum = 0;
    for (size_t i = 0; i < count; ++i)
      sum += result[i] == 0 ? weights[i] : 0;
    for (size_t i = 0; enough && i < count; ++i) {
      if (result[i] == 0 && quota(i) < 1) {
        result[i] = 1;
        ++below;
      }
    }
    rest -= below;
  }

  /// In coarse steps: the noise of a division must not break a tie.
  struct Remainder {
    long long size;
    size_t index;
  };
  std::vector<Remainder> remainders;
  int64_t left = rest;
  for (size_t i = 0; i < count; ++i) {
    if (result[i] != 0)
      continue;
    double whole = std::floor(quota(i));
    remainders.push_back({std::llround((quota(i) - whole) * 0x1p20), i});
    result[i] = static_cast<int64_t>(whole);
    left -= result[i];
  }
  std::sort(remainders.begin(), remainders.end(),
            [](const Remainder &a, const Remainder &b) {
              return a.size != b.size ? a.size > b.size : a.index < b.index;
            });
  for (size_t k = 0; k < remainders.size() && left > 0; ++k, --left)
    ++result[remainders[k].index];
  return result;
}

} // namespace rubato::policy
