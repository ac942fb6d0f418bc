// Collectives over every transport: sums, order, overlap.
#include "transports.h"

#include <cstring>
#include <filesystem>
#include <sys/mman.h>

using namespace rubato;

namespace {

class Collectives : public Transports {};

const ChannelSpec grads{"grads", ChannelSpec::Kind::Collective, 1 << 22, -1, 0};

/// Values whose sum depends on the order of additions.
template <typename T> T valueOf(int rank, int64_t call, int64_t i) {
  double x = 1.0 / double(3 + rank * 7 + call * 5 + i % 1013);
  return T(rank % 2 ? x * 1e6 : x);
}
template <> int64_t valueOf<int64_t>(int rank, int64_t call, int64_t i) {
  return int64_t((uint64_t(1) << 61) * uint64_t(rank + 1)) + call * 1000003 + i;
}

template <typename T>
std::vector<T> operand(int rank, int64_t call, int64_t count) {
  std::vector<T> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    values[size_t(i)] = valueOf<T>(rank, call, i);
  return values;
}

template <typename T>
bool isSum(const std::vector<T> &got, int members, int64_t call) {
  std::vector<T> sum = operand<T>(0, call, int64_t(got.size()));
  for (int rank = 1; rank < members; ++rank)
    for (size_t i = 0; i < sum.size(); ++i) {
      T next = valueOf<T>(rank, call, int64_t(i));
      if constexpr (std::is_same_v<T, int64_t>)
        sum[i] = int64_t(uint64_t(sum[i]) + uint64_t(next));
      else
        sum[i] += next;
    }
  return got.empty() ||
         std::memcmp(sum.data(), got.data(), sum.size() * sizeof(T)) == 0;
}

TEST_P(Collectives, SumsAreTheSameBitsAsASerialSum) {
  for (int members = 1; members <= 5; ++members) {
    make(members, {grads});
    runAll([&](int rank) {
      int64_t call = 0;
      for (int64_t count : {0, 1, 63, 1000, 40000, 131071}) {
        ++call;
        auto floats = operand<float>(rank, call, count);
        auto doubles = operand<double>(rank, call, count / 3);
        auto integers = operand<int64_t>(rank, call, count / 5);
        auto more = operand<float>(rank, call, 3);
        Part ins[] = {partOf(floats), partOf(integers), partOf(more),
                      partOf(doubles)};
        int64_t future = 0;
        NEED_OK(fabric->startAllReduce(rank, 0, ins, future));
        NEED(future == call);
        // The operands were copied.
        std::ranges::fill(floats, -1.0f);
        NEED_OK(fabric->await(rank, future, ins, soon()));
        NEED(isSum(floats, members, call) && isSum(doubles, members, call) &&
             isSum(integers, members, call) && isSum(more, members, call));
      }
      fabric->leave(rank);
      return true;
    });
  }
}

/// A later one may be awaited first, but then its place is not the older one's:
/// with one still open, the next but one has no room.
TEST_P(Collectives, AnOpenOneKeepsItsPlace) {
  make(1, {grads});
  std::vector<float> values = {1}, got(1);
  Part in[] = {partOf(values)}, out[] = {partOf(got)};
  int64_t first = 0, second = 0, third = 0;
  ASSERT_TRUE(fabric->startAllReduce(0, 0, in, first));
  values[0] = 2;
  ASSERT_TRUE(fabric->startAllReduce(0, 0, in, second));
  ASSERT_TRUE(fabric->await(0, second, out, soon()));
  EXPECT_EQ(got[0], 2);
  Status refused = fabric->startAllReduce(0, 0, in, third);
  if (!refusesAtOnce())
    refused = fabric->await(0, third, out, soon());
  EXPECT_TRUE(
      failsWith(refused, ErrorCode::Internal, {"'grads'", "await one first"}));
  ASSERT_TRUE(fabric->await(0, first, out, soon()));
  EXPECT_EQ(got[0], 1);
  ASSERT_TRUE(fabric->startAllReduce(0, 0, in, third));
  ASSERT_TRUE(fabric->await(0, third, out, soon()));
}

TEST_P(Collectives, TwoAreUnderWayAndOneIsCarriedOver) {
  make(3, {grads, grads});
  runAll([&](int rank) {
    std::mt19937 random(unsigned(rank + 1));
    // Small and large ones in turns: they are summed by different threads.
    auto sizeOf = [](int64_t call) { return call % 3 ? 500 : 60000; };
    int64_t carried[2] = {0, 0};
    for (int64_t call = 1; call <= 40; ++call)
      for (int channel : {0, 1}) {
        int64_t key = call * 2 + channel, next = 0;
        auto values = operand<float>(rank, key, sizeOf(call));
        Part ins[] = {partOf(values)};
        NEED_OK(fabric->startAllReduce(rank, channel, ins, next));
        if (random() % 4 == 0)
          pause(random, 500);
        if (carried[channel]) {
          std::vector<float> sum(size_t(sizeOf(call - 1)));
          Part outs[] = {partOf(sum)};
          NEED_OK(fabric->await(rank, carried[channel], outs, soon()));
          NEED(isSum(sum, 3, key - 2));
        }
        carried[channel] = next;
      }
    // A third one has no room.
    auto values = operand<float>(rank, 0, 4);
    Part ins[] = {partOf(values)};
    int64_t second = 0, third = 0;
    NEED_OK(fabric->startAllReduce(rank, 0, ins, second));
    Status refused = fabric->startAllReduce(rank, 0, ins, third);
    if (!refusesAtOnce())
      refused = fabric->await(rank, third, ins, soon());
    NEED(failsWith(refused, ErrorCode::Internal,
                   {"'grads'", "await one first"}));
    std::vector<float> sum(size_t(sizeOf(40)));
    Part outs[] = {partOf(sum)};
    NEED_OK(fabric->await(rank, carried[0], outs, soon()));
    NEED_OK(fabric->await(rank, second, ins, soon()));
    NEED(isSum(values, 3, 0));
    fabric->leave(rank);
    return true;
  });
}

TEST_P(Collectives, AFutureIsDoneWhileEverybodyComputes) {
  make(3, {grads});
  runAll([&](int rank) {
    for (int64_t call = 1; call <= 6; ++call) {
      auto values = operand<double>(rank, call, call % 2 ? 100000 : 10);
      Part parts[] = {partOf(values)};
      int64_t future = 0;
      NEED_OK(fabric->startAllReduce(rank, 0, parts, future));
      // Rank 0 never looks, and nobody awaits: it is done all the same.
      Deadline deadline = soon();
      while (rank > 0 && !fabric->done(rank, future)) {
        NEED(std::chrono::steady_clock::now() < deadline);
        usleep(100);
      }
      NEED_OK(fabric->barrier(rank, soon()));
      NEED_OK(fabric->await(rank, future, parts, soon()));
      NEED(isSum(values, 3, call));
      NEED(fabric->done(rank, future)); // forgotten ones are
    }
    fabric->leave(rank);
    return true;
  });
}

TEST_P(Collectives, NothingIsDoneBeforeAllHaveStarted) {
  make(2, {grads});
  std::vector<float> values(40000, 1.0f), got[2];
  Part ins[] = {partOf(values)};
  int64_t futures[2] = {0, 0};
  ASSERT_TRUE(fabric->startAllReduce(0, 0, ins, futures[0]));
  usleep(2000);
  EXPECT_FALSE(fabric->done(0, futures[0]));
  ASSERT_TRUE(fabric->startAllReduce(1, 0, ins, futures[1]));
  for (int rank : {0, 1}) {
    got[rank].resize(values.size());
    Part outs[] = {partOf(got[rank])};
    ASSERT_TRUE(fabric->await(rank, futures[rank], outs, soon()));
    EXPECT_EQ(got[rank], std::vector<float>(values.size(), 2.0f));
  }
}

TEST_P(Collectives, ABarrierHoldsEverybodyBack) {
  constexpr int members = 4;
  make(members, {grads});
  // Shared with the members, which may be processes.
  auto *arrived = static_cast<std::atomic<int64_t> *>(
      mmap(nullptr, members * sizeof(int64_t), PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(arrived, MAP_FAILED);
  runAll([&](int rank) {
    for (int64_t round = 1; round <= 200; ++round) {
      arrived[rank].store(round, std::memory_order_relaxed);
      NEED_OK(fabric->barrier(rank, soon()));
      for (int other = 0; other < members; ++other)
        NEED(arrived[other].load(std::memory_order_relaxed) >= round);
    }
    fabric->leave(rank);
    return true;
  });
  munmap(arrived, members * sizeof(int64_t));
}

TEST_P(Collectives, ACancelledOneCountsForTheOthers) {
  make(2, {grads});
  runAll([&](int rank) {
    for (int64_t call = 1; call <= 20; ++call) {
      auto values = operand<float>(rank, call, call % 3 ? 100 : 40000);
      Part parts[] = {partOf(values)};
      int64_t future = 0;
      NEED_OK(fabric->startAllReduce(rank, 0, parts, future));
      if (rank == 0 && call % 4 == 0) {
        fabric->cancel(0, future);
        Deadline deadline = soon(); // its slot is free when it is done
        while (!fabric->done(0, future)) {
          NEED(std::chrono::steady_clock::now() < deadline);
          usleep(100);
        }
        continue;
      }
      NEED_OK(fabric->await(rank, future, parts, soon()));
      NEED(isSum(values, 2, call));
    }
    fabric->leave(rank);
    return true;
  });
}

TEST_P(Collectives, AMemberUsesChannelsFromSeveralThreads) {
  make(2, {grads, {"pairs", ChannelSpec::Kind::Pair, 1 << 16, -1, 0}});
  runAll([&](int rank) {
    auto reduce = [&] {
      for (int64_t call = 1; call <= 50; ++call) {
        auto values = operand<float>(rank, call, call % 5 ? 100 : 40000);
        Part parts[] = {partOf(values)};
        int64_t future = 0;
        NEED_OK(fabric->startAllReduce(rank, 0, parts, future));
        NEED_OK(fabric->await(rank, future, parts, soon()));
        NEED(isSum(values, 2, call));
      }
      return true;
    };
    auto exchange = [&] {
      for (int64_t tag = 1; tag <= 100; ++tag) {
        auto values = operand<float>(rank, tag, 1000);
        Part parts[] = {partOf(values)};
        int64_t future = 0;
        NEED_OK(fabric->startExchange(rank, 1, 1 - rank, tag, parts, future));
        NEED_OK(fabric->await(rank, future, parts, soon()));
        NEED(values == operand<float>(1 - rank, tag, 1000));
      }
      return true;
    };
    bool exchanged = false;
    std::thread other([&] { exchanged = exchange(); });
    bool reduced = reduce();
    other.join();
    fabric->leave(rank);
    return reduced && exchanged;
  });
}

TEST_P(Collectives, BroadcastGivesTheRootsValues) {
  make(4, {grads});
  runAll([&](int rank) {
    for (int64_t call = 0; call < 12; ++call) {
      int root = int(call % 4);
      auto values = operand<float>(rank, call, call % 3 ? 90000 : 17);
      int64_t step = rank * 100 + call, future = 0;
      Part parts[] = {partOf(values), partOf(step)};
      NEED_OK(fabric->startBroadcast(rank, 0, root, parts, future));
      NEED_OK(fabric->await(rank, future, parts, soon()));
      NEED(values == operand<float>(root, call, int64_t(values.size())));
      NEED(step == root * 100 + call);
    }
    fabric->leave(rank);
    return true;
  });
}

TEST_P(Collectives, MembersInDifferentCallsAreNamed) {
  struct Case {
    int64_t counts[2];
    bool broadcasts[2];
    int roots[2];
  };
  for (const Case &each : {Case{{4, 5}, {false, false}, {0, 0}},
                           Case{{4, 4}, {false, true}, {0, 0}},
                           Case{{4, 4}, {true, true}, {0, 1}}}) {
    make(3, {grads});
    runAll([&](int rank) {
      int kind = rank == 2;
      auto values = operand<float>(rank, 1, each.counts[kind]);
      Part parts[] = {partOf(values)};
      int64_t future = 0;
      NEED_OK(
          each.broadcasts[kind]
              ? fabric->startBroadcast(rank, 0, each.roots[kind], parts, future)
              : fabric->startAllReduce(rank, 0, parts, future));
      Status status = fabric->await(rank, future, parts, soon());
      std::string me = "rank " + std::to_string(rank) + " is in ";
      NEED(failsWith(status, ErrorCode::Communication,
                     {me.c_str(), rank == 2 ? "but rank 0 in" : "but rank 2 in",
                      "'grads'", "in one order"}));
      return true;
    });
  }
}

TEST_P(Collectives, CallsThatCannotBeAreRefused) {
  make(2, {grads, {"pairs", ChannelSpec::Kind::Pair, 64, -1, 0}});
  std::vector<float> values(4), large(20);
  Part parts[] = {partOf(values)}, tooLarge[] = {partOf(large)};
  int64_t future = 0;
  auto refused = [&](Status status) {
    if (!refusesAtOnce() && status)
      status = fabric->await(0, future, parts, soon());
    EXPECT_EQ(status.code(), ErrorCode::Internal) << status.message();
  };
  refused(fabric->startAllReduce(0, 1, parts, future));
  refused(fabric->startAllReduce(0, 2, parts, future));
  refused(fabric->startBroadcast(0, 0, 2, parts, future));
  refused(fabric->startExchange(0, 1, 0, 1, parts, future));
  refused(fabric->startExchange(0, 1, 1, 1, tooLarge, future));
  Status pushed = fabric->push(0, 0, 1, parts);
  if (!refusesAtOnce()) // the next one tells
    pushed = fabric->push(0, 0, 1, parts);
  EXPECT_EQ(pushed.code(), ErrorCode::Internal);
  EXPECT_EQ(fabric->await(0, 99, parts, soon()).code(), ErrorCode::Internal);
  EXPECT_FALSE(fabric->limitRate({-1.0, {}}));
}

TEST(Transport, RefusesRunsThatCannotBe) {
  std::unique_ptr<Fabric> fabric;
  ChannelSpec noServer{"m", ChannelSpec::Kind::Mailbox, 8, 3, 0};
  for (auto make : {makeThreadFabric, makeSharedFabric}) {
    EXPECT_FALSE(make(0, {}, fabric));
    EXPECT_FALSE(make(maxMembers + 1, {}, fabric));
    EXPECT_FALSE(make(3, {&noServer, 1}, fabric));
    EXPECT_FALSE(make(65, {&noServer, 1}, fabric));
  }
}

TEST(Transport, RefusesMoreMemoryThanThereIs) {
  std::unique_ptr<Fabric> fabric;
  ChannelSpec huge = grads;
  for (int64_t bytes : {int64_t(1) << 44, INT64_MAX / 2, int64_t(-1)}) {
    huge.bytes = bytes;
    EXPECT_FALSE(makeSharedFabric(2, {&huge, 1}, fabric)) << bytes;
  }
  EXPECT_EQ(fabric, nullptr);
}

size_t entriesOf(const char *directory) {
  std::error_code error;
  return size_t(
      std::distance(std::filesystem::directory_iterator(directory, error), {}));
}

TEST(Transport, LeavesNothingBehind) {
  size_t descriptors = entriesOf("/proc/self/fd");
  size_t names = entriesOf("/dev/shm");
  std::unique_ptr<Fabric> fabric;
  ASSERT_TRUE(makeSharedFabric(2, {&grads, 1}, fabric));
  BlockDemand demand{1 << 20, 2};
  ASSERT_TRUE(fabric->mapBlocks({&demand, 1}));
  EXPECT_EQ(entriesOf("/proc/self/fd"), descriptors);
  EXPECT_EQ(entriesOf("/dev/shm"), names);
  EXPECT_EQ(
      runMembers(By::Processes, 2,
                 [&](int rank) { return bool(fabric->barrier(rank, soon())); }),
      0);
  fabric.reset();
  EXPECT_EQ(entriesOf("/proc/self/fd"), descriptors);
  EXPECT_EQ(entriesOf("/dev/shm"), names);
}

TEST(Transport, SlowLinksDeliverLate) {
  using namespace std::chrono;
  for (auto make : {makeThreadFabric, makeSharedFabric}) {
    std::unique_ptr<Fabric> inner, fabric;
    ChannelSpec specs[] = {grads,
                           {"mail", ChannelSpec::Kind::Mailbox, 4000, 0, 0}};
    ASSERT_TRUE(make(2, specs, inner));
    // 10 ms and 10 ms for 4000 bytes.
    ASSERT_TRUE(makeRateLimitedFabric(std::move(inner), {4e5, milliseconds(10)},
                                      fabric));
    std::vector<float> values(1000);
    int64_t ticket = 0, go = 0, ours = 0, theirs = 0;
    Part parts[] = {partOf(values)};
    Part pulled[] = {partOf(values), partOf(ticket), partOf(go)};
    ASSERT_TRUE(fabric->startAllReduce(0, 0, parts, ours));
    usleep(30000); // not what makes it late: the last one to post is
    auto begin = steady_clock::now();
    ASSERT_TRUE(fabric->startAllReduce(1, 0, parts, theirs));
    ASSERT_TRUE(fabric->await(0, ours, parts, soon()));
    EXPECT_GE(steady_clock::now() - begin, milliseconds(20));

    begin = steady_clock::now();
    Granted granted;
    ASSERT_TRUE(fabric->grant(0, 1, true, 0, parts, granted));
    ASSERT_TRUE(fabric->startPull(1, 1, 0, theirs));
    ASSERT_TRUE(fabric->await(1, theirs, pulled, soon()));
    EXPECT_GE(steady_clock::now() - begin, milliseconds(20));

    begin = steady_clock::now();
    Collected collected;
    ASSERT_TRUE(fabric->push(1, 1, ticket, parts));
    ASSERT_TRUE(fabric->collect(0, 1, 1, false, parts, collected, soon()));
    EXPECT_GE(steady_clock::now() - begin, milliseconds(20));
  }
}

RB_ALL_TRANSPORTS(Collectives);

} // namespace
