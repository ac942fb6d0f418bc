// All-reduce over shared memory: by threads and by processes, the bits of a
// serial sum in rank order.
#include "fabric/group.h"

#include "run_members.h"

#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>

using namespace rubato;

namespace {

class GroupOf : public testing::TestWithParam<std::tuple<By, int>> {
protected:
  By by = std::get<0>(GetParam());
  int members = std::get<1>(GetParam());
};

// Three ranges at odd places: 1001 f32, 77 f64, 3 i64.
constexpr int64_t sharedBytes = 8192;
constexpr rb_range ins[] = {{RB_SHARED, RB_F32, 4, 1001},
                            {RB_SHARED, RB_F64, 4040, 77},
                            {RB_SHARED, RB_I64, 5000, 3}};
constexpr rb_range outs[] = {{RB_RESULT, RB_F32, 12, 1001},
                             {RB_RESULT, RB_F64, 4096, 77},
                             {RB_RESULT, RB_I64, 8000, 3}};

template <typename T, typename Next>
void fill(char *at, int64_t count, Next next) {
  for (int64_t i = 0; i < count; ++i) {
    T value = next();
    std::memcpy(at + i * int64_t(sizeof(T)), &value, sizeof(T));
  }
}

/// The operands of a rank in a round, from a seed.
void fillOperands(char *shared, int rank, int round) {
  std::mt19937_64 random(uint64_t(rank * 1000 + round));
  std::normal_distribution<double> normal(0, 1e3);
  fill<float>(shared + 4, 1001, [&] { return float(normal(random)); });
  fill<double>(shared + 4040, 77, [&] { return normal(random); });
  fill<int64_t>(shared + 5000, 3, [&] { return int64_t(random() >> 8); });
}

template <typename T>
void serialSum(const std::vector<std::string> &operands, int64_t in, char *out,
               int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    T sum, next;
    std::memcpy(&sum, operands[0].data() + in + i * int64_t(sizeof(T)),
                sizeof(T));
    for (size_t rank = 1; rank < operands.size(); ++rank) {
      std::memcpy(&next, operands[rank].data() + in + i * int64_t(sizeof(T)),
                  sizeof(T));
      sum = sum + next;
    }
    std::memcpy(out + i * int64_t(sizeof(T)), &sum, sizeof(T));
  }
}

/// The result region after a serial sum in rank order.
std::string expectedResult(int members, int round) {
  std::vector<std::string> operands(size_t(members),
                                    std::string(sharedBytes, '\0'));
  for (int rank = 0; rank < members; ++rank)
    fillOperands(operands[size_t(rank)].data(), rank, round);
  std::string result(sharedBytes, '\0');
  serialSum<float>(operands, 4, result.data() + 12, 1001);
  serialSum<double>(operands, 4040, result.data() + 4096, 77);
  serialSum<int64_t>(operands, 5000, result.data() + 8000, 3);
  return result;
}

TEST_P(GroupOf, SumsBitForBit) {
  constexpr int rounds = 50;
  std::vector<std::string> expected;
  for (int round = 0; round < rounds; ++round)
    expected.push_back(expectedResult(members, round));
  std::unique_ptr<Group> group;
  ASSERT_TRUE(Group::create(members, sharedBytes, sharedBytes, group));
  int bad = runMembers(by, members, [&](int rank) {
    for (int round = 0; round < rounds; ++round) {
      fillOperands(group->shared(rank), rank, round);
      std::string before(group->shared(rank), sharedBytes);
      if (!group->allReduceSum(rank, ins, outs, 3, soon()))
        return false;
      if (std::memcmp(group->result(), expected[size_t(round)].data(),
                      sharedBytes) != 0)
        return false;
      if (std::memcmp(group->shared(rank), before.data(), sharedBytes) != 0)
        return false;
      if (!group->barrier(rank, soon()))
        return false;
    }
    return true;
  });
  EXPECT_EQ(bad, 0);
  EXPECT_EQ(group->verdict(), RB_OK);
}

TEST_P(GroupOf, BarrierHoldsEverybodyBack) {
  std::unique_ptr<Group> group;
  ASSERT_TRUE(Group::create(members, 64, 64, group));
  int bad = runMembers(by, members, [&](int rank) {
    auto count = [&](int peer) {
      return reinterpret_cast<std::atomic<int64_t> *>(group->shared(peer));
    };
    for (int64_t round = 1; round <= 500; ++round) {
      count(rank)->store(round, std::memory_order_relaxed);
      if (!group->barrier(rank, soon()))
        return false;
      for (int peer = 0; peer < members; ++peer)
        if (count(peer)->load(std::memory_order_relaxed) < round)
          return false;
    }
    return true;
  });
  EXPECT_EQ(bad, 0);
}

INSTANTIATE_TEST_SUITE_P(Members, GroupOf,
                         testing::Combine(testing::Values(By::Threads,
                                                          By::Processes),
                                          testing::Values(1, 2, 4)),
                         [](const auto &info) {
                           return (std::get<0>(info.param) == By::Threads
                                       ? "threads"
                                       : "processes") +
                                  std::to_string(std::get<1>(info.param));
                         });

size_t entriesOf(const char *directory) {
  std::error_code error;
  return size_t(
      std::distance(std::filesystem::directory_iterator(directory, error), {}));
}

TEST(Group, LeavesNothingBehind) {
  size_t descriptors = entriesOf("/proc/self/fd");
  size_t names = entriesOf("/dev/shm");
  std::unique_ptr<Group> group;
  ASSERT_TRUE(Group::create(2, 1 << 20, 1 << 20, group));
  EXPECT_EQ(entriesOf("/proc/self/fd"), descriptors);
  EXPECT_EQ(entriesOf("/dev/shm"), names);
  EXPECT_EQ(
      runMembers(By::Processes, 2,
                 [&](int rank) { return bool(group->barrier(rank, soon())); }),
      0);
  group.reset();
  EXPECT_EQ(entriesOf("/proc/self/fd"), descriptors);
  EXPECT_EQ(entriesOf("/dev/shm"), names);
}

TEST(Group, AreasAreAlignedAndApart) {
  std::unique_ptr<Group> group;
  ASSERT_TRUE(Group::create(3, 100, 100, group));
  EXPECT_EQ(group->sharedBytes(), 100);
  EXPECT_EQ(group->resultBytes(), 100);
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(group->shared(rank)) % 64, 0u);
    EXPECT_GE((rank < 2 ? group->shared(rank + 1) : group->result()) -
                  group->shared(rank),
              100);
  }
}

TEST(Group, RefusesImpossibleSizes) {
  std::unique_ptr<Group> group;
  EXPECT_FALSE(Group::create(0, 64, 64, group));
  EXPECT_FALSE(Group::create(1 << 20, 64, 64, group));
  EXPECT_FALSE(Group::create(2, -1, 64, group));
  EXPECT_FALSE(Group::create(2, INT64_MAX, 64, group));
  EXPECT_FALSE(Group::create(2, 64, INT64_MAX, group));
  EXPECT_FALSE(Group::create(2, int64_t(1) << 44, 64, group));
  EXPECT_EQ(group, nullptr);
}

TEST(Group, RefusesRangesOutsideItsAreas) {
  std::unique_ptr<Group> group;
  ASSERT_TRUE(Group::create(1, 64, 64, group));
  auto sum = [&](rb_range in, rb_range out) {
    return bool(group->allReduceSum(0, &in, &out, 1, soon()));
  };
  EXPECT_TRUE(sum({RB_SHARED, RB_F32, 0, 16}, {RB_RESULT, RB_F32, 0, 16}));
  EXPECT_FALSE(sum({RB_SHARED, RB_F32, 0, 17}, {RB_RESULT, RB_F32, 0, 17}));
  EXPECT_FALSE(sum({RB_SHARED, RB_F32, 68, 0}, {RB_RESULT, RB_F32, 0, 0}));
  EXPECT_FALSE(sum({RB_RESULT, RB_F32, 0, 1}, {RB_RESULT, RB_F32, 0, 1}));
  EXPECT_FALSE(sum({RB_SHARED, RB_F32, 0, 1}, {RB_RESULT, RB_F64, 0, 1}));
}

} // namespace
