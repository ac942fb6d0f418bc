// Splits of a batch by speeds, worked out by hand.
#include "policy/balance_split.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace rubato::policy;
using Sizes = std::vector<int64_t>;

static Sizes split(int64_t total, std::vector<double> speeds) {
  return splitBySpeed(total, speeds);
}

TEST(BalanceSplit, FollowsTheSpeeds) {
  EXPECT_EQ(split(128, {1, 1, 2, 4}), (Sizes{16, 16, 32, 64}));
  EXPECT_EQ(split(128, {2, 2, 2, 2}), (Sizes{32, 32, 32, 32}));
  // The scale of the speeds does not matter.
  EXPECT_EQ(split(128, {1e300, 1e300, 2e300, 4e300}), (Sizes{16, 16, 32, 64}));
  EXPECT_EQ(split(128, {.1, .1, .2, .4}), (Sizes{16, 16, 32, 64}));
  EXPECT_EQ(split(7, {3}), (Sizes{7}));
  EXPECT_EQ(split(7, {}), Sizes{});
}

TEST(BalanceSplit, GivesTheRestToTheLargestRemainders) {
  // Quotas 14.2857, 28.5714, 57.1429: 99, and 0.5714 is the largest.
  EXPECT_EQ(split(100, {1, 2, 4}), (Sizes{14, 29, 57}));
  // Quotas 1.6667, 3.3333, 5: 9, and 0.6667 is the largest.
  EXPECT_EQ(split(10, {1, 2, 3}), (Sizes{2, 3, 5}));
  // Quotas 5.4545, 2.7273, 1.8182: 8, and two are left.
  EXPECT_EQ(split(10, {6, 3, 2}), (Sizes{5, 3, 2}));
}

TEST(BalanceSplit, BreaksTiesByTheLowerMember) {
  EXPECT_EQ(split(128, {1, 1, 1}), (Sizes{43, 43, 42}));
  EXPECT_EQ(split(5, {1, 1}), (Sizes{3, 2}));
  // Quotas 2.5, 5, 2.5.
  EXPECT_EQ(split(10, {1, 2, 1}), (Sizes{3, 5, 2}));
  // The same quotas, of numbers that are not exact.
  EXPECT_EQ(split(10, {.1, .2, .1}), (Sizes{3, 5, 2}));
}

TEST(BalanceSplit, GivesEveryoneOne) {
  // Quotas 0.1, 0.1, 9.8: the third pays for the others.
  EXPECT_EQ(split(10, {1, 1, 98}), (Sizes{1, 1, 8}));
  // Quotas 0.0495, 1.0396, 4.9109. Of the 5 left after a 1 for the first the
  // second has 0.8735, less than 1.
  EXPECT_EQ(split(6, {0.1, 2.1, 9.92}), (Sizes{1, 1, 4}));
  EXPECT_EQ(split(3, {1, 1, 1e9}), (Sizes{1, 1, 1}));
  // Not enough for all: the fastest take them.
  EXPECT_EQ(split(2, {1, 5, 5}), (Sizes{0, 1, 1}));
  EXPECT_EQ(split(1, {1, 1, 1}), (Sizes{1, 0, 0}));
  EXPECT_EQ(split(0, {1, 1}), (Sizes{0, 0}));
}

TEST(BalanceSplit, NeverLosesARow) {
  uint64_t noise = 1;
  auto next = [&] { return (noise = noise * 6364136223846793005u + 1) >> 33; };
  for (int k = 0; k < 2000; ++k) {
    std::vector<double> speeds(1 + next() % 9);
    for (double &speed : speeds)
      speed = double(1 + next() % 100000) / (k % 2 ? 7.0 : 1e-12);
    int64_t total = int64_t(next() % (k % 3 ? 300 : 1000000000));
    Sizes sizes = splitBySpeed(total, speeds);
    EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), int64_t(0)), total);
    for (int64_t size : sizes)
      EXPECT_GE(size, total >= int64_t(speeds.size()) ? 1 : 0);
  }
}
