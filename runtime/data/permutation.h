// One permutation of the samples per epoch, computed element by element.
#pragma once

#include <cstdint>

namespace rubato {

/// A bijection of [0, n) that needs no memory: a Feistel network over the
/// smallest power of two that holds n, whose round keys come from (seed,
/// epoch); a value that falls outside [0, n) is encrypted again until it does
/// not (cycle walking, fewer than two steps on average). Every worker can ask
/// for any element, so a shuffled data set is resumable at any sample and no
/// worker has to be told the order.
class Permutation {
public:
  /// The identity.
  explicit Permutation(int64_t n) : n(static_cast<uint64_t>(n)) {}
  Permutation(int64_t n, uint64_t seed, uint64_t epoch);

  int64_t size() const { return static_cast<int64_t>(n); }
  int64_t operator[](int64_t i) const;

private:
  uint64_t encrypt(uint64_t x) const;

  static constexpr int rounds = 8; // even: the halves end in their places
  uint64_t n;
  uint64_t keys[rounds] = {};
  int leftBits = 0, rightBits = 0; // both 0: the identity
};

} // namespace rubato
