#include "support/checksum.h"

#include <gtest/gtest.h>
#include <set>

using namespace rubato;

namespace {

TEST(Checksum, EveryBitAndEveryLengthCounts) {
  std::string bytes(77, 'a');
  std::set<uint64_t> seen = {checksumOf(bytes.data(), bytes.size())};
  for (size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = bytes;
      other[i] = static_cast<char>(other[i] ^ 1 << bit);
      EXPECT_TRUE(seen.insert(checksumOf(other.data(), other.size())).second);
    }
  std::string zeros(77, '\0');
  for (size_t size = 0; size <= zeros.size(); ++size)
    EXPECT_TRUE(seen.insert(checksumOf(zeros.data(), size)).second) << size;
}

TEST(Checksum, PiecesInTheirOrder) {
  Checksum one, other, same;
  one.add("ab", 2);
  one.add("cd", 2);
  other.add("cd", 2);
  other.add("ab", 2);
  same.add("ab", 2);
  same.add("cd", 2);
  EXPECT_NE(one.value(), other.value());
  EXPECT_EQ(one.value(), same.value());
}

TEST(Checksum, IsPartOfAFileFormat) {
  EXPECT_EQ(checksumText(checksumOf("rubato", 6)), "10c928e56d6fef0f");
  EXPECT_EQ(checksumText(1), "0000000000000001");
}

} // namespace
