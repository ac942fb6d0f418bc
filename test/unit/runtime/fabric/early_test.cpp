// Reductions over every transport whose operands become final in parts, and
// whose results are brought in parts.
#include "transports.h"

#include <algorithm>
#include <cstring>

using namespace rubato;

namespace {

constexpr int64_t most = 300000; // numbers: several chunks of a sum

ChannelSpec earlyChannel(const char *name, int inFlight = 2) {
  ChannelSpec spec{name, ChannelSpec::Kind::Collective,
                   most * int64_t{sizeof(float)} + 64};
  spec.inFlight = inFlight;
  return spec;
}

/// Numbers whose sum depends on the order of additions.
float earlyNumber(int rank, int64_t call, int64_t i) {
  float x = 1.0f / float(3 + rank * 7 + call % 100 * 5 + i % 1013);
  return rank % 2 ? x * 1e6f : x;
}

/// A value of one member in one reduction, which is filled from its beginning.
struct Growing {
  Growing(Fabric &fabric, int rank, int64_t call, int64_t count)
      : rank(rank), call(call), count(count),
        block(fabric.blocks(rank).take(bytes())) {
    // Who sums what is not there yet shall be seen.
    std::fill_n(numbers(), count, -1e30f);
  }
  int64_t bytes() const { return count * int64_t{sizeof(float)}; }
  float *numbers() { return reinterpret_cast<float *>(block->data); }
  void fillTo(int64_t end) {
    for (; filled < end; ++filled)
      numbers()[filled] = earlyNumber(rank, call, filled);
  }
  Part part() { return {RB_F32, count, block->data, &block}; }

  int rank;
  int64_t call, count, filled = 0;
  SharedBlock block;
};

/// Whether numbers [from, to) of a result are the sum in the order of ranks.
bool isEarlySum(const SharedBlock &got, int members, int64_t call, int64_t from,
                int64_t to) {
  auto *numbers = reinterpret_cast<const float *>(got->data);
  for (int64_t i = from; i < to; ++i) {
    float sum = earlyNumber(0, call, i);
    for (int rank = 1; rank < members; ++rank)
      sum += earlyNumber(rank, call, i);
    if (std::memcmp(&sum, &numbers[i], sizeof sum) != 0)
      return false;
  }
  return true;
}

class Early : public Transports {
protected:
  void makeWith(int members, std::vector<ChannelSpec> channels,
                std::vector<int64_t> counts, int blocks = 6) {
    make(members, std::move(channels));
    std::vector<BlockDemand> demands;
    for (int64_t count : counts)
      demands.push_back({count * int64_t{sizeof(float)}, blocks});
    Status status = fabric->mapBlocks(demands);
    ASSERT_TRUE(status) << status.message();
  }

  /// Fills a value and says so at up to four borders, then starts. Some members
  /// say nothing.
  Status start(Growing &value, int channel, std::mt19937 &random,
               int64_t &number, int64_t &future) {
    std::vector<int64_t> borders(random() % 5);
    for (int64_t &border : borders)
      border = 1 + int64_t(random() % uint64_t(value.count));
    std::ranges::sort(borders);
    for (int64_t border : borders) {
      value.fillTo(border);
      RB_TRY(fabric->ready(value.rank, channel, value.part(),
                           border * int64_t{sizeof(float)}));
      if (random() % 3 == 0)
        pause(random, 300);
    }
    value.fillTo(value.count);
    number = value.rank + value.call;
    Part ins[] = {value.part(), partOf(number)};
    return fabric->startAllReduce(value.rank, channel, ins, future);
  }
  /// What `number` is in the sum.
  static int64_t numberOf(int members, int64_t call) {
    return members * call + members * (members - 1) / 2;
  }
};

TEST_P(Early, PartsGiveTheSameSums) {
  const std::vector<int64_t> counts = {1, 1000, 1024, 20000, 70001, most};
  for (int members = 1; members <= 4; ++members) {
    makeWith(members, {earlyChannel("grads")}, counts);
    runAll([&](int rank) {
      std::mt19937 random(unsigned(rank * 31 + members));
      for (int64_t call = 1; call <= 18; ++call) {
        Growing value(*fabric, rank, call, counts[size_t(call % 6)]);
        SharedBlock sum;
        int64_t number = 0, future = 0;
        NEED_OK(start(value, 0, random, number, future));
        value.block.reset();
        Part outs[] = {{RB_F32, value.count, nullptr, &sum}, partOf(number)};
        NEED_OK(fabric->await(rank, future, outs, soon()));
        NEED(isEarlySum(sum, members, call, 0, value.count));
        NEED(number == numberOf(members, call));
      }
      fabric->leave(rank);
      return true;
    });
  }
}

TEST_P(Early, SeveralAreUnderWay) {
  const std::vector<int64_t> counts = {1024, 70001, most};
  makeWith(3, {earlyChannel("one", 3), earlyChannel("other", 3)}, counts, 16);
  runAll([&](int rank) {
    std::mt19937 random(unsigned(rank + 1));
    struct Open {
      int64_t call, count, future;
    };
    std::vector<Open> open[2];
    auto finish = [&](int channel) {
      Open oldest = open[channel].front();
      open[channel].erase(open[channel].begin());
      SharedBlock sum;
      int64_t number = 0;
      Part outs[] = {{RB_F32, oldest.count, nullptr, &sum}, partOf(number)};
      NEED_OK(fabric->await(rank, oldest.future, outs, soon()));
      NEED(isEarlySum(sum, 3, oldest.call, 0, oldest.count));
      NEED(number == numberOf(3, oldest.call));
      return true;
    };
    for (int64_t call = 1; call <= 24; ++call)
      for (int channel : {0, 1}) {
        Growing value(*fabric, rank, call * 2 + channel,
                      counts[size_t((call + channel) % 3)]);
        int64_t number = 0, future = 0;
        NEED_OK(start(value, channel, random, number, future));
        open[channel].push_back({value.call, value.count, future});
        if (open[channel].size() == 3)
          NEED(finish(channel));
      }
    for (int channel : {0, 1})
      while (!open[channel].empty())
        NEED(finish(channel));
    fabric->leave(rank);
    return true;
  });
}

TEST_P(Early, TheFirstBytesComeFirst) {
  for (int members : {1, 2, 3}) {
    makeWith(members, {earlyChannel("grads")}, {most});
    runAll([&](int rank) {
      std::mt19937 random(unsigned(rank + 5));
      for (int64_t call = 1; call <= 12; ++call) {
        Growing value(*fabric, rank, call, most);
        SharedBlock sum;
        int64_t number = 0, future = 0;
        NEED_OK(start(value, 0, random, number, future));
        value.block.reset();
        Part outs[] = {{RB_F32, most, nullptr, &sum}, partOf(number)};
        // Nothing at all, a little, or everything.
        int64_t first = call % 3 == 0   ? 0
                        : call % 3 == 1 ? 100
                                        : most,
                then = 0;
        NEED_OK(fabric->awaitFirst(rank, future, outs,
                                   first * int64_t{sizeof(float)}, soon()));
        NEED(isEarlySum(sum, members, call, 0, first));
        NEED(number == numberOf(members, call));
        for (int64_t end : {most / 7, most / 2, most}) {
          NEED_OK(fabric->arrive(rank, future, end * int64_t{sizeof(float)},
                                 soon()));
          NEED(isEarlySum(sum, members, call, then, end));
          then = end;
        }
        // All of it was brought: it is forgotten.
        NEED(fabric->arrive(rank, future, 4, soon()).code() ==
             ErrorCode::Internal);
      }
      fabric->leave(rank);
      return true;
    });
  }
}

/// A result whose place is taken by an older one lies elsewhere and is copied:
/// then, too, all of it is there in the end.
TEST_P(Early, PartsArriveWhereAnOlderResultIsHeld) {
  makeWith(3, {earlyChannel("grads")}, {most}, 12);
  runAll([&](int rank) {
    std::mt19937 random(unsigned(rank + 9));
    std::vector<SharedBlock> held;
    for (int64_t call = 1; call <= 10; ++call) {
      Growing value(*fabric, rank, call, most);
      SharedBlock sum;
      int64_t number = 0, future = 0;
      NEED_OK(start(value, 0, random, number, future));
      value.block.reset();
      Part outs[] = {{RB_F32, most, nullptr, &sum}, partOf(number)};
      NEED_OK(fabric->awaitFirst(rank, future, outs, 400, soon()));
      NEED(isEarlySum(sum, 3, call, 0, 100));
      NEED_OK(fabric->arrive(rank, future, value.bytes(), soon()));
      NEED(isEarlySum(sum, 3, call, 0, most));
      if (rank == 1)
        held.push_back(std::move(sum));
    }
    for (size_t i = 0; i < held.size(); ++i)
      NEED(isEarlySum(held[i], 3, int64_t(i) + 1, 0, most));
    fabric->leave(rank);
    return true;
  });
}

/// Memory of the caller's own, which is copied at the start.
TEST_P(Early, WithoutBlocksTheStartSaysAll) {
  make(2, {earlyChannel("grads")});
  runAll([&](int rank) {
    for (int64_t call = 1; call <= 4; ++call) {
      std::vector<float> values(most, float(rank + call));
      Part parts[] = {partOf(values)};
      int64_t future = 0;
      NEED_OK(fabric->ready(rank, 0, parts[0], 4 * most / 2));
      NEED_OK(fabric->startAllReduce(rank, 0, parts, future));
      std::ranges::fill(values, -1.0f);
      // Without a block nothing is brought in parts.
      NEED_OK(fabric->awaitFirst(rank, future, parts, 4, soon()));
      NEED_OK(fabric->arrive(rank, future, 4 * most, soon()));
      NEED(values == std::vector<float>(most, float(2 * call + 1)));
    }
    fabric->leave(rank);
    return true;
  });
}

/// What all have ready is summed before all have started, by whoever waits.
/// Where the last to start sums, nobody can tell.
TEST_P(Early, IsSummedBeforeTheStart) {
  if (GetParam() == Transport::Threads || GetParam() == Transport::SlowThreads)
    GTEST_SKIP() << "the reference sums at the end";
  makeWith(2, {earlyChannel("grads")}, {most});
  runAll([&](int rank) {
    Growing value(*fabric, rank, 1, most);
    value.fillTo(most);
    NEED_OK(fabric->ready(rank, 0, value.part(), value.bytes()));
    // All but the last chunk at least.
    Deadline deadline = soon();
    while (rank == 1 && fabric->summed(0).early + fabric->summed(1).early <
                            value.bytes() / 2) {
      NEED(std::chrono::steady_clock::now() < deadline);
      usleep(100);
    }
    SharedBlock sum;
    Part ins[] = {value.part()}, outs[] = {{RB_F32, most, nullptr, &sum}};
    int64_t future = 0;
    NEED_OK(fabric->startAllReduce(rank, 0, ins, future));
    NEED_OK(fabric->await(rank, future, outs, soon()));
    NEED(isEarlySum(sum, 2, 1, 0, most));
    NEED(fabric->summed(rank).early <= fabric->summed(rank).bytes);
    NEED_OK(fabric->barrier(rank, soon()));
    NEED(fabric->summed(0).bytes + fabric->summed(1).bytes == value.bytes());
    fabric->leave(rank);
    return true;
  });
}

/// Too few bytes to be shown where they are summed: they come with the numbers,
/// and there is nothing left to wait for. More marks than there is room for do
/// no harm.
TEST_P(Early, SmallSumsArriveInPartsToo) {
  constexpr int64_t count = 100;
  makeWith(2, {earlyChannel("grads")}, {most});
  runAll([&](int rank) {
    for (int round = 0; round < 3; ++round) {
      std::vector<float> own(count, float(rank + 1)), all(count);
      Part in{RB_F32, count, reinterpret_cast<char *>(own.data())};
      for (int64_t i = 1; i <= count; ++i)
        NEED_OK(fabric->ready(rank, 0, in, 4 * i));
      Part ins[] = {in};
      Part outs[] = {{RB_F32, count, reinterpret_cast<char *>(all.data())}};
      int64_t future = 0;
      NEED_OK(fabric->startAllReduce(rank, 0, ins, future));
      NEED_OK(fabric->awaitFirst(rank, future, outs, 64, soon()));
      NEED_OK(fabric->arrive(rank, future, 128, soon()));
      NEED_OK(fabric->arrive(rank, future, 200, soon()));
      NEED_OK(fabric->arrive(rank, future, 4 * count, soon()));
      NEED(all == std::vector<float>(count, 3));
      // It is over.
      NEED(!fabric->arrive(rank, future, 4 * count, soon()));
    }
    NEED_OK(fabric->barrier(rank, soon()));
    return true;
  });
}

/// Only the start counts.
TEST_P(Early, WhoDiesBeforeItsStartTakesNoPart) {
  for (bool left : {false, true}) {
    makeWith(3, {earlyChannel("grads")}, {most});
    runAll([&](int rank) {
      Growing value(*fabric, rank, 1, most);
      value.fillTo(most);
      NEED_OK(fabric->ready(rank, 0, value.part(), value.bytes()));
      NEED_OK(fabric->barrier(rank, soon()));
      if (rank == 2) {
        if (left)
          fabric->leave(2);
        return true;
      }
      if (!left)
        fabric->lost(2);
      SharedBlock sum;
      Part ins[] = {value.part()}, outs[] = {{RB_F32, most, nullptr, &sum}};
      int64_t future = 0;
      NEED_OK(fabric->startAllReduce(rank, 0, ins, future));
      std::string me = "rank " + std::to_string(rank) + ": all-reduce 1 on ";
      NEED(failsWith(fabric->awaitFirst(rank, future, outs, 0, soon()),
                     ErrorCode::Communication,
                     {me.c_str(), "channel 'grads'",
                      left ? "rank 2 has ended" : "rank 2 is gone"}));
      NEED(!sum);
      return true;
    });
  }
}

TEST_P(Early, WhoOnlySaysReadyIsLate) {
  makeWith(2, {earlyChannel("grads")}, {most});
  runAll([&](int rank) {
    Growing value(*fabric, rank, 1, most);
    value.fillTo(most);
    NEED_OK(fabric->ready(rank, 0, value.part(), value.bytes()));
    if (rank == 0) {
      SharedBlock sum;
      Part ins[] = {value.part()}, outs[] = {{RB_F32, most, nullptr, &sum}};
      int64_t future = 0;
      NEED_OK(fabric->startAllReduce(rank, 0, ins, future));
      NEED(!fabric->done(rank, future));
      NEED(failsWith(fabric->awaitFirst(rank, future, outs, 0, within(50)),
                     ErrorCode::Communication, {"rank 1 did not answer"}));
      NEED(!sum);
    }
    // Not earlier: its memory is being read.
    return bool(fabric->barrier(rank, soon()));
  });
}

TEST_P(Early, TheOperandIsTheOneThatWasReady) {
  makeWith(2, {earlyChannel("grads")}, {most});
  runAll([&](int rank) {
    Growing value(*fabric, rank, 1, most), other(*fabric, rank, 1, most);
    value.fillTo(most);
    other.fillTo(most);
    NEED_OK(fabric->ready(rank, 0, value.part(), 4 * most / 2));
    Part ins[] = {rank == 0 ? other.part() : value.part()};
    int64_t future = 0;
    Status status = fabric->startAllReduce(rank, 0, ins, future);
    if (rank == 0 && !refusesAtOnce())
      status = fabric->await(rank, future, ins, soon());
    if (rank == 0)
      NEED(failsWith(status, ErrorCode::Communication,
                     {"rank 0: all-reduce 1 on channel 'grads'",
                      "not the one of which parts were ready"}));
    else
      NEED_OK(std::move(status));
    return bool(fabric->barrier(rank, soon()));
  });
}

TEST_P(Early, CallsThatCannotBeAreRefused) {
  // There the refusal comes with the next call, and of pushes and starts
  // collectives_test.cpp sees that.
  if (!refusesAtOnce())
    GTEST_SKIP() << "what is ready is not looked at before it was fetched";
  make(2,
       {earlyChannel("grads"), {"pairs", ChannelSpec::Kind::Pair, 64, -1, 0}});
  std::vector<float> values(4), large(most + 1000);
  for (int channel : {1, 2})
    EXPECT_EQ(fabric->ready(0, channel, partOf(values), 4).code(),
              ErrorCode::Internal);
  EXPECT_EQ(fabric->ready(0, 0, partOf(large), 4).code(), ErrorCode::Internal);
  EXPECT_EQ(fabric->arrive(0, 99, 4, soon()).code(), ErrorCode::Internal);
}

RB_ALL_TRANSPORTS(Early);

} // namespace
