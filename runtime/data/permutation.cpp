#include "data/permutation.h"

#include <bit>
#include <utility>

using namespace rubato;

/// A bijective mixer of 64 bits (the finaliser of SplitMix64).
static uint64_t mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

Permutation::Permutation(int64_t n, uint64_t seed, uint64_t epoch)
    : Permutation(n) {
  if (n < 2)
    return;
  int bits = std::bit_width(static_cast<uint64_t>(n - 1));
  bits = bits < 2 ? 2 : bits; // each half needs a bit
  leftBits = bits / 2;
  rightBits = bits - leftBits;
  uint64_t state = mix(seed + 0x9e3779b97f4a7c15u) ^ mix(~epoch);
  for (uint64_t &key : keys)
    key = mix(state += 0x9e3779b97f4a7c15u);
}

uint64_t Permutation::encrypt(uint64_t x) const {
  int left = leftBits, right = rightBits;
  uint64_t l = x >> right, r = x & ((uint64_t{1} << right) - 1);
  for (uint64_t key : keys) {
    uint64_t mixed = l ^ (mix(r + key) & ((uint64_t{1} << left) - 1));
    l = r;
    r = mixed;
    std::swap(left, right); // halves of odd widths change places with them
  }
  return l << right | r;
}

int64_t Permutation::operator[](int64_t i) const {
  if (leftBits == 0)
    return i;
  auto x = static_cast<uint64_t>(i);
  do
    x = encrypt(x);
  while (x >= n);
  return static_cast<int64_t>(x);
}
