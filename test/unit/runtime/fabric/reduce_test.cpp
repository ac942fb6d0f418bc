// Slices and sums.
#include "fabric/reduce.h"

#include <gtest/gtest.h>
#include <vector>

using namespace rubato;

TEST(Reduce, SlicesCoverTheRangeOnceAndShareNoLine) {
  for (int64_t offset : {0, 4, 60, 64, 200})
    for (int64_t bytes : {0, 4, 8, 64, 100, 128, 1000, 4096})
      for (int members : {1, 2, 3, 4, 7}) {
        int64_t at = 0;
        for (int rank = 0; rank < members; ++rank) {
          Slice slice = sliceOf(offset, bytes, rank, members);
          EXPECT_EQ(slice.begin, at);
          EXPECT_GE(slice.end, slice.begin);
          if (slice.end != bytes && slice.end != 0)
            EXPECT_EQ((offset + slice.end) % 64, 0);
          at = slice.end;
        }
        EXPECT_EQ(at, bytes);
      }
}

TEST(Reduce, KeepsTheOrderOfRanks) {
  // (1e8 + 1) - 1e8 is 0 in f32, (1e8 - 1e8) + 1 is 1: the order shows.
  std::vector<float> a(3000, 1e8f), b(3000, 1.0f), c(3000, -1e8f), out(3000);
  const char *ins[] = {reinterpret_cast<char *>(a.data()),
                       reinterpret_cast<char *>(b.data()),
                       reinterpret_cast<char *>(c.data())};
  sumInRankOrder(RB_F32, ins, 3, reinterpret_cast<char *>(out.data()), 12000);
  EXPECT_EQ(out, std::vector<float>(3000, 0));
  std::swap(ins[1], ins[2]);
  sumInRankOrder(RB_F32, ins, 3, reinterpret_cast<char *>(out.data()), 12000);
  EXPECT_EQ(out, std::vector<float>(3000, 1));
}

TEST(Reduce, IntegersWrapAround) {
  int64_t a = INT64_MAX, b = 1, out = 0;
  const char *ins[] = {reinterpret_cast<char *>(&a),
                       reinterpret_cast<char *>(&b)};
  sumInRankOrder(RB_I64, ins, 2, reinterpret_cast<char *>(&out), 8);
  EXPECT_EQ(out, INT64_MIN);
}

TEST(Reduce, WeightsAreRoundedBeforeTheyAreAdded) {
  // As a serial loop that stores each product; no whole number of blocks.
  constexpr size_t count = 5000;
  std::vector<float> ins[3], expected(count), out(count);
  const double weights[] = {1.0 / 3, 1, 0.1};
  const char *messages[3];
  for (size_t member = 0; member < 3; ++member) {
    for (size_t i = 0; i < count; ++i)
      ins[member].push_back(1.0f / float(i + 7 * member + 1));
    messages[member] = reinterpret_cast<const char *>(ins[member].data());
  }
  std::vector<float> before = ins[0];
  for (size_t i = 0; i < count; ++i) {
    volatile float a = ins[0][i] * float(weights[0]);
    volatile float c = ins[2][i] * float(weights[2]);
    volatile float ab = a + ins[1][i];
    expected[i] = ab + c;
  }
  sumWeighted(RB_F32, messages, weights, 3,
              reinterpret_cast<char *>(out.data()), int64_t(4 * count));
  EXPECT_EQ(out, expected);
  EXPECT_EQ(ins[0], before);
}
