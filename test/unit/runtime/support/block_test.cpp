// Blocks of values: aligned, of their own, and used again.
#include "support/block.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

using namespace rubato;

TEST(Block, BeginsAligned) {
  std::vector<SharedBlock> blocks;
  for (int64_t bytes : {0, 1, 8, 200, 256, 257, 2000, 5140, 3 << 20})
    for (int copy = 0; copy < 3; ++copy) {
      blocks.push_back(takeBlock(bytes));
      const Block &block = *blocks.back();
      EXPECT_EQ(block.bytes, bytes);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block.data) % 256, 0U) << bytes;
      std::memset(block.data, static_cast<int>(blocks.size()),
                  static_cast<size_t>(bytes));
    }
  for (size_t i = 0; i < blocks.size(); ++i)
    for (int64_t at = 0; at < blocks[i]->bytes; ++at)
      ASSERT_EQ(blocks[i]->data[at], static_cast<char>(i + 1));
}

TEST(Block, IsUsedAgain) {
  char *data = takeBlock(777)->data; // given back at once
  EXPECT_EQ(takeBlock(777)->data, data);
}
