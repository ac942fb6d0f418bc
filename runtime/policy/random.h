// Random numbers by counter: a function of (seed, policy, member, call).
#pragma once

#include "policy/policy.h"

#include <cstdint>
#include <string_view>

namespace rubato::policy {

/// A short stream of numbers for one question. Two questions with the same key
/// get the same stream on every machine, in any order of asking.
class CounterRandom {
public:
  CounterRandom(uint64_t seed, std::string_view policy, Asker asker);

  uint64_t bits();
  /// In [0, 1), 53 bits.
  double uniform();
  /// In [0, bound), without bias.
  int64_t below(int64_t bound);
  /// Of mean 1.
  double exponential();
  int64_t poisson(double mean);

private:
  uint64_t key, counter = 0;
};

} // namespace rubato::policy
