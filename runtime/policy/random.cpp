// Random numbers by counter, from a strong 64-bit mixing function.
#include "policy/random.h"

#include <cmath>

namespace rubato::policy {

/// The finaliser of SplitMix64: every bit of the input moves every bit of the
/// output.
static uint64_t mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static uint64_t combine(uint64_t key, uint64_t value) {
  return mix(key + 0x9e3779b97f4a7c15u * (value + 1));
}

CounterRandom::CounterRandom(uint64_t seed, std::string_view policy,
                             Asker asker)
    : key(mix(seed)) {
  for (char c : policy)
    key = combine(key, static_cast<unsigned char>(c));
  key = combine(key, static_cast<uint64_t>(asker.member));
  key = combine(key, static_cast<uint64_t>(asker.call));
}

uint64_t CounterRandom::bits() { return combine(key, counter++); }

double CounterRandom::uniform() {
  return static_cast<double>(bits() >> 11) * 0x1p-53;
}

int64_t CounterRandom::below(int64_t bound) {
  // Rejects the part of the range that would favour small numbers.
  uint64_t range = static_cast<uint64_t>(bound);
  uint64_t limit = UINT64_MAX - UINT64_MAX % range;
  uint64_t value = bits();
  while (value >= limit)
    value = bits();
  return static_cast<int64_t>(value % range);
}

double CounterRandom::exponential() { return -std::log1p(-uniform()); }

int64_t CounterRandom::poisson(double mean) {
  // Counts arrivals of a unit process; means here are small.
  int64_t count = 0;
  for (double time = exponential(); time < mean; time += exponential())
    ++count;
  return count;
}

} // namespace rubato::policy
