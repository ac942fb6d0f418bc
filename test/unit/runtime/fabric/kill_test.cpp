// Members that are killed at random moments, between any two instructions:
// the survivors end or go on, and never hang.
#include "transports.h"

#include <algorithm>
#include <csignal>
#include <sys/mman.h>

using namespace rubato;

namespace {

/// The members of a fabric as processes; the test is their launcher.
class Kill : public testing::TestWithParam<int> {
protected:
  void make(int members, std::vector<ChannelSpec> channels) {
    Status status = makeSharedFabric(members, channels, fabric);
    ASSERT_TRUE(status) << status.message();
  }

  void start(const std::function<bool(int)> &body) {
    for (int rank = 0; rank < fabric->members(); ++rank) {
      pid_t child = fork();
      if (child == 0)
        _exit(body(rank) ? 0 : 1);
      children.push_back(child);
    }
  }

  /// Kills one after a while and says so, as a launcher does.
  void kill(int rank) {
    std::mt19937 random(unsigned(GetParam() * 7919 + rank));
    kill(rank, 5000 + random() % 20000);
  }
  void kill(int rank, unsigned microseconds) {
    usleep(microseconds);
    ASSERT_EQ(::kill(children[size_t(rank)], SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(children[size_t(rank)], &status, 0),
              children[size_t(rank)]);
    children[size_t(rank)] = -1;
    fabric->lost(rank);
  }

  /// Every survivor has ended by itself, within seconds, and was content.
  void expectGoodEnds() {
    Deadline deadline = within(20000);
    for (pid_t &child : children) {
      int status = 0;
      while (child > 0 && waitpid(child, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > deadline) {
          ADD_FAILURE() << "a survivor hangs";
          ::kill(child, SIGKILL);
          waitpid(child, &status, 0);
          break;
        }
        usleep(500);
      }
      EXPECT_TRUE(child < 0 || status == 0);
      child = -1;
    }
  }

  void TearDown() override {
    for (pid_t child : children)
      if (child > 0) {
        ::kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
      }
  }

  std::unique_ptr<Fabric> fabric;
  std::vector<pid_t> children;
};

TEST_P(Kill, CollectivesEndWithTheLostMembersName) {
  make(4, {{"grads", ChannelSpec::Kind::Collective, 1 << 22, -1, 0}});
  int victim = GetParam() % 4;
  start([&](int rank) {
    int64_t futures[2] = {0, 0};
    for (int64_t call = 1;; ++call) {
      // Small ones, large ones, and one carried over each round. Large ones
      // are long in the sum, so that some die there.
      std::vector<float> values(call % 2 ? 1 << 20 : 50, float(call));
      Part parts[] = {partOf(values)};
      Status status = fabric->startAllReduce(rank, 0, parts, futures[call % 2]);
      if (status && call > 1) {
        std::vector<float> sum(call % 2 ? 50 : 1 << 20);
        Part outs[] = {partOf(sum)};
        status = fabric->await(rank, futures[1 - call % 2], outs, soon());
        NEED(!status ||
             sum == std::vector<float>(sum.size(), 4 * float(call - 1)));
      }
      if (status)
        continue;
      std::string who = "rank " + std::to_string(victim) + " is gone";
      std::string me = "rank " + std::to_string(rank) + ": all-reduce ";
      NEED(failsWith(status, ErrorCode::Communication,
                     {who.c_str(), me.c_str(), "'grads'"}));
      fabric->leave(rank);
      return true;
    }
  });
  kill(victim);
  expectGoodEnds();
}

/// Whatever was said of operands before they were started.
TEST_P(Kill, PartsThatWereReadyAreNotSummedWithoutTheirStart) {
  constexpr int64_t count = 200000, bytes = count * int64_t{sizeof(float)};
  make(4, {{"grads", ChannelSpec::Kind::Collective, bytes, -1, 0}});
  BlockDemand demand{bytes, 5};
  ASSERT_TRUE(fabric->mapBlocks({&demand, 1}));
  int victim = GetParam() % 4;
  start([&](int rank) {
    for (int64_t call = 1;; ++call) {
      SharedBlock value = fabric->blocks(rank).take(bytes), sum;
      auto *numbers = reinterpret_cast<float *>(value->data);
      std::fill_n(numbers, count, -1e30f);
      Part ins[] = {{RB_F32, count, value->data, &value}};
      Part outs[] = {{RB_F32, count, nullptr, &sum}};
      Status status;
      for (int part = 0; part < 4 && status; ++part) {
        std::fill_n(numbers + part * count / 4, count / 4, float(call));
        status = fabric->ready(rank, 0, ins[0], (part + 1) * bytes / 4);
      }
      int64_t future = 0;
      if (status)
        status = fabric->startAllReduce(rank, 0, ins, future);
      value.reset();
      if (status)
        status = fabric->awaitFirst(rank, future, outs, bytes / 4, soon());
      if (status)
        status = fabric->arrive(rank, future, bytes, soon());
      if (status) {
        auto *sums = reinterpret_cast<const float *>(sum->data);
        NEED(std::all_of(sums, sums + count,
                         [&](float each) { return each == 4 * float(call); }));
        continue;
      }
      std::string who = "rank " + std::to_string(victim) + " is gone";
      NEED(failsWith(status, ErrorCode::Communication,
                     {who.c_str(), ": all-reduce ", "'grads'"}));
      fabric->leave(rank);
      return true;
    }
  });
  kill(victim);
  expectGoodEnds();
}

/// Who is killed at a random moment is in all the sums of the others, or in
/// none from then on: all survivors have the same ones.
TEST_P(Kill, SurvivorsAgreeOnWhatWasSummed) {
  struct Counts {
    std::atomic<int64_t> passed[4];
  };
  auto *counts = static_cast<Counts *>(mmap(nullptr, sizeof(Counts),
                                            PROT_READ | PROT_WRITE,
                                            MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(counts, MAP_FAILED);
  make(4, {{"grads", ChannelSpec::Kind::Collective, 4096, -1, 0}});
  int victim = GetParam() % 4, other = (victim + 1) % 4;
  start([&](int rank) {
    std::vector<float> values(16, 1.0f);
    Part parts[] = {partOf(values)};
    int64_t future = 0;
    while (fabric->startAllReduce(rank, 0, parts, future) &&
           fabric->await(rank, future, parts, soon()))
      ++counts->passed[rank];
    fabric->leave(rank);
    return true;
  });
  while (counts->passed[other] < 10)
    usleep(100);
  kill(victim, 1 + unsigned(GetParam()) * 137);
  expectGoodEnds();
  for (int rank = 0; rank < 4; ++rank)
    if (rank != victim)
      EXPECT_EQ(counts->passed[rank], counts->passed[other]) << rank;
  munmap(counts, sizeof(Counts));
}

TEST_P(Kill, WhatTheDeadWereSummingIsSummedByOthers) {
  constexpr size_t count = 2 << 20;
  make(2, {{"grads", ChannelSpec::Kind::Collective, 4 * count, -1, 0}});
  int victim = GetParam() % 2;
  int posted[2];
  ASSERT_EQ(pipe(posted), 0);
  start([&](int rank) {
    std::vector<float> values(count, float(rank + 1));
    Part parts[] = {partOf(values)};
    int64_t future = 0;
    NEED_OK(fabric->startAllReduce(rank, 0, parts, future));
    NEED(write(posted[1], "x", 1) == 1);
    NEED_OK(fabric->await(rank, future, parts, soon()));
    NEED(values == std::vector<float>(count, 3.0f));
    fabric->leave(rank);
    return true;
  });
  char bytes[2];
  for (char &byte : bytes)
    ASSERT_EQ(read(posted[0], &byte, 1), 1);
  close(posted[0]);
  close(posted[1]);
  kill(victim, 1 + GetParam() * 100);
  expectGoodEnds();
}

/// Memory that is used again too early shows another call's numbers.
TEST_P(Kill, BlocksAreNotUsedAgainWhileOthersRead) {
  constexpr int64_t count = 50000, bytes = count * int64_t{sizeof(float)};
  make(4, {{"grads", ChannelSpec::Kind::Collective, bytes, -1, 0},
           {"pairs", ChannelSpec::Kind::Pair, bytes, -1, 0}});
  BlockDemand demand{bytes, 5};
  ASSERT_TRUE(fabric->mapBlocks({&demand, 1}));
  int victim = GetParam() % 4;
  start([&](int rank) {
    auto isAll = [&](const SharedBlock &block, float number) {
      auto *values = reinterpret_cast<const float *>(block->data);
      return std::all_of(values, values + count,
                         [&](float each) { return each == number; });
    };
    auto filled = [&](float number) {
      SharedBlock block = fabric->blocks(rank).take(bytes);
      std::fill_n(reinterpret_cast<float *>(block->data), count, number);
      return block;
    };
    SharedBlock last; // of the exchange before, held while others go on
    float expected = 0;
    bool reduces = true;
    int missed = 0;
    for (int64_t call = 1; missed < 5; ++call) {
      int64_t future = 0;
      if (reduces) {
        SharedBlock value = filled(float(call)), sum;
        Part ins[] = {{RB_F32, count, value->data, &value}};
        Part outs[] = {{RB_F32, count, nullptr, &sum}};
        Status status = fabric->startAllReduce(rank, 0, ins, future);
        value.reset();
        if (status)
          status = fabric->await(rank, future, outs, soon());
        NEED(!status || isAll(sum, 4 * float(call)));
        reduces = bool(status);
      }
      int peer = rank ^ int(1 + call % 3);
      SharedBlock value = filled(float(rank * 1000 + call)), got;
      Part ins[] = {{RB_F32, count, value->data, &value}};
      Part outs[] = {{RB_F32, count, nullptr, &got}};
      NEED_OK(fabric->startExchange(rank, 1, peer, call, ins, future));
      value.reset();
      Status status = fabric->await(rank, future, outs, soon());
      NEED(!last || isAll(last, expected));
      if (isAgain(status)) {
        missed += peer == victim;
        continue;
      }
      NEED_OK(std::move(status));
      last = std::move(got);
      expected = float(peer * 1000 + call);
      NEED(isAll(last, expected));
    }
    fabric->leave(rank);
    return true;
  });
  kill(victim);
  expectGoodEnds();
}

/// The same of what is pushed and granted, whoever dies: the server's sums and
/// the models that workers hold are whole, and after the death nothing stays
/// lent for good.
TEST_P(Kill, BlocksOfAMailboxAreNotUsedAgainWhileOthersRead) {
  constexpr int64_t count = 50000, bytes = count * int64_t{sizeof(float)};
  make(4, {{"mail", ChannelSpec::Kind::Mailbox, bytes + 64, 0, 0}});
  BlockDemand demand{bytes, 2 + 2 + 6};
  ASSERT_TRUE(fabric->mapBlocks({&demand, 1}));
  int victim = GetParam() % 4;
  start([&](int rank) {
    auto isAll = [&](const SharedBlock &block, float number) {
      auto *values = reinterpret_cast<const float *>(block->data);
      return std::all_of(values, values + count,
                         [&](float each) { return each == number; });
    };
    auto filled = [&](float number) {
      SharedBlock block = fabric->blocks(rank).take(bytes);
      std::fill_n(reinterpret_cast<float *>(block->data), count, number);
      return block;
    };
    auto partOf = [](SharedBlock &block) {
      return Part{RB_F32, count, block ? block->data : nullptr, &block};
    };
    if (rank == 0) {
      Granted granted;
      Collected collected;
      int64_t version = 0;
      auto grant = [&](bool toAll) {
        SharedBlock model = filled(float(version));
        Part parts[] = {partOf(model), ::partOf(version)};
        return fabric->grant(0, 0, toAll, 1, parts, granted);
      };
      NEED_OK(grant(true));
      for (int after = 0; after < 20; after += fabric->workers(0, 0) < 3) {
        SharedBlock sum;
        int64_t all = 0; // of what each said is in its upload
        Part outs[] = {partOf(sum), ::partOf(all)};
        NEED_OK(fabric->collect(0, 0, 1 + version % 2, false, outs, collected,
                                soon()));
        NEED(isAll(sum, float(all)));
        ++version;
        NEED_OK(grant(false));
        NEED(isAll(sum, float(all)));
      }
      NEED_OK(fabric->close(0, 0, soon()));
      NEED(fabric->copied(0).values == 0);
      return true;
    }
    int64_t ticket = 0, go = 0, future = 0, round = 0, version = 0;
    for (;; ++round) {
      SharedBlock model;
      Part pulled[] = {partOf(model), ::partOf(version), ::partOf(ticket),
                       ::partOf(go)};
      NEED_OK(fabric->startPull(rank, 0, ticket, future));
      Status status = fabric->await(rank, future, pulled, soon());
      if (victim == 0 && !status) {
        NEED(failsWith(status, ErrorCode::Communication,
                       {"pull on channel 'mail'", "rank 0 is gone"}));
        return true;
      }
      NEED_OK(std::move(status));
      if (!go)
        break;
      NEED(isAll(model, float(version)));
      // Now and then twice, so that one replaces another.
      for (int64_t i = 0; i < 1 + round % 3 / 2; ++i) {
        int64_t number = rank * 1000 + round % 100 + i;
        SharedBlock change = filled(float(number));
        Part parts[] = {partOf(change), ::partOf(number)};
        NEED_OK(fabric->push(rank, 0, ticket, parts));
      }
      NEED(isAll(model, float(version)));
    }
    NEED(fabric->copied(rank).values == 0);
    fabric->leave(rank);
    return true;
  });
  kill(victim);
  expectGoodEnds();
}

TEST_P(Kill, ExchangesGoOnWithTheOthers) {
  make(4, {{"pairs", ChannelSpec::Kind::Pair, 1 << 18, -1, 0}});
  int victim = GetParam() % 4;
  start([&](int rank) {
    // Everybody meets everybody in turns, until the victim was missed a few
    // times; the others meet on.
    int missed = 0;
    for (int64_t tag = 0; missed < 5; ++tag) {
      int peer = rank ^ int(1 + tag % 3);
      std::vector<float> values(tag % 5 ? 100 : 50000, float(rank * 7 + tag));
      size_t count = values.size();
      Part parts[] = {partOf(values)};
      int64_t future = 0;
      NEED_OK(fabric->startExchange(rank, 0, peer, tag, parts, future));
      Status status = fabric->await(rank, future, parts, soon());
      if (isAgain(status)) {
        bool ended = status.message().find("has ended") != std::string::npos;
        NEED(ended == (peer != victim));
        missed += peer == victim;
        continue;
      }
      NEED_OK(std::move(status));
      NEED(values == std::vector<float>(count, float(peer * 7 + tag)));
    }
    fabric->leave(rank);
    return true;
  });
  kill(victim);
  expectGoodEnds();
}

TEST_P(Kill, AMailboxOutlivesAWorkerButNotItsServer) {
  make(4, {{"mail", ChannelSpec::Kind::Mailbox, 1 << 18, 0, 0}});
  int victim = GetParam() % 4;
  start([&](int rank) {
    std::vector<float> values(40000);
    Part parts[] = {partOf(values)};
    if (rank == 0) {
      Granted granted;
      Collected collected;
      NEED_OK(fabric->grant(0, 0, true, 1, parts, granted));
      for (int after = 0; after < 20;) {
        NEED_OK(fabric->collect(0, 0, 2, false, parts, collected, soon()));
        float all = float(collected.ranks.size());
        NEED(values == std::vector<float>(values.size(), all));
        NEED_OK(fabric->grant(0, 0, false, 1, parts, granted));
        after += fabric->workers(0, 0) < 3;
      }
      NEED_OK(fabric->close(0, 0, soon()));
      NEED(fabric->counters(0).accepted > 0);
      return true;
    }
    int64_t ticket = 0, go = 0, future = 0;
    for (;;) {
      Part pulled[] = {partOf(values), partOf(ticket), partOf(go)};
      NEED_OK(fabric->startPull(rank, 0, ticket, future));
      Status status = fabric->await(rank, future, pulled, soon());
      if (victim == 0 && !status) {
        NEED(failsWith(status, ErrorCode::Communication,
                       {"pull on channel 'mail'", "rank 0 is gone"}));
        return true;
      }
      NEED_OK(std::move(status));
      if (!go)
        break;
      std::ranges::fill(values, 1.0f);
      NEED_OK(fabric->push(rank, 0, ticket, parts));
    }
    fabric->leave(rank);
    return true;
  });
  kill(victim);
  expectGoodEnds();
}

INSTANTIATE_TEST_SUITE_P(Moments, Kill, testing::Range(0, 8));

} // namespace
