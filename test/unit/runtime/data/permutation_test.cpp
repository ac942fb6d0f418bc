#include "data/permutation.h"

#include <gtest/gtest.h>
#include <vector>

using namespace rubato;

namespace {

std::vector<int64_t> list(const Permutation &p) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < p.size(); ++i)
    values.push_back(p[i]);
  return values;
}

TEST(Permutation, IsABijection) {
  for (int64_t n : {1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 100, 1023, 1025, 60000}) {
    std::vector<bool> hit(static_cast<size_t>(n));
    for (int64_t value : list(Permutation(n, 42, 3))) {
      ASSERT_GE(value, 0);
      ASSERT_LT(value, n);
      ASSERT_FALSE(hit[static_cast<size_t>(value)]) << n;
      hit[static_cast<size_t>(value)] = true;
    }
  }
}

TEST(Permutation, DependsOnSeedAndEpochOnly) {
  auto base = list(Permutation(1000, 1, 0));
  EXPECT_EQ(base, list(Permutation(1000, 1, 0)));
  EXPECT_NE(base, list(Permutation(1000, 2, 0)));
  EXPECT_NE(base, list(Permutation(1000, 1, 1)));
  EXPECT_NE(list(Permutation(1000, 0, 1)), list(Permutation(1000, 1, 0)));
}

/// The order is part of what a seed promises; a change must be deliberate.
TEST(Permutation, IsStable) {
  Permutation large(60000, 1, 0);
  uint64_t hash = 0;
  for (int64_t i = 0; i < large.size(); ++i)
    hash = hash * 1099511628211u + static_cast<uint64_t>(large[i]);
  EXPECT_EQ(hash, 795647548196458716u);
}

TEST(Permutation, SpreadsNeighbours) {
  // Over many epochs, sample 0 should land about evenly in ten tenths.
  int64_t tenths[10] = {};
  for (uint64_t epoch = 0; epoch < 10000; ++epoch)
    ++tenths[Permutation(1000, 7, epoch)[0] / 100];
  for (int64_t count : tenths) {
    EXPECT_GT(count, 850);
    EXPECT_LT(count, 1150);
  }
}

TEST(Permutation, IdentityWithoutASeed) {
  Permutation p(5);
  EXPECT_EQ(list(p), (std::vector<int64_t>{0, 1, 2, 3, 4}));
}

} // namespace
