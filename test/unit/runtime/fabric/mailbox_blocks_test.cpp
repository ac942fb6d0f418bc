// Values of a mailbox in the fabric's memory: what is pushed and granted is
// read where it lies, and used again by its owner when nobody needs it any
// more.
#include "value_blocks.h"

using namespace rubato;

namespace {

class MailboxBlocks : public ValueBlocks {
protected:
  void makeMail(int members, int blocks) {
    makeWith(members,
             {{"mail", ChannelSpec::Kind::Mailbox, valueBytes + 64, 0, 0}},
             blocks);
  }
  /// A value and where its owner has it.
  Status push(int rank, int64_t ticket, SharedBlock value) {
    auto at = int64_t(value->data);
    Part parts[] = {partOf(value), ::partOf(at)};
    return fabric->push(rank, 0, ticket, parts);
  }
  Status grant(bool toAll, int64_t staleAfter, SharedBlock value,
               Granted &granted) {
    auto at = int64_t(value->data);
    Part parts[] = {partOf(value), ::partOf(at)};
    return fabric->grant(0, 0, toAll, staleAfter, parts, granted);
  }
  struct Got {
    SharedBlock value;
    int64_t at = 0, ticket = 0, go = 0;
    bool isInPlace() const { return int64_t(value->data) == at; }
  };
  Status pull(int rank, int64_t after, Got &got) {
    got.value.reset();
    Part parts[] = {partOf(got.value), ::partOf(got.at), ::partOf(got.ticket),
                    ::partOf(got.go)};
    int64_t future = 0;
    RB_TRY(fabric->startPull(rank, 0, after, future));
    return fabric->await(rank, future, parts, soon());
  }
  Status collect(int64_t first, Got &sum, Collected &collected,
                 bool byStaleness = false) {
    sum.value.reset();
    Part parts[] = {partOf(sum.value), ::partOf(sum.at)};
    return fabric->collect(0, 0, first, byStaleness, parts, collected, soon());
  }
  int64_t copied(int rank) { return fabric->copied(rank).values; }
};

/// Of `first` uploads a round, by workers of which some are slow: nothing is
/// copied, and a round of one upload brings that upload itself.
TEST_P(MailboxBlocks, RoundsCopyNumbersOnly) {
  for (int64_t first : {1, 2, 3}) {
    // What blocksOf (program/channels.h) gives the server, for everybody.
    makeMail(4, 2 + 2 + 6);
    runAll([&](int rank) {
      constexpr int64_t rounds = 40, bound = 2;
      std::mt19937 random(unsigned(rank + 1));
      Got got;
      if (rank > 0) {
        float version = 0;
        for (;;) {
          NEED_OK(pull(rank, got.ticket, got));
          if (!got.go)
            break;
          float newest = *reinterpret_cast<float *>(got.value->data);
          NEED(got.isInPlace() && newest > version);
          version = newest;
          NEED(!isWritable(got.value) || isOneProcess());
          if (random() % 3 == 0)
            pause(random, 600);
          NEED(isFull(got.value, version));
          SharedBlock change = filled(rank, float(rank));
          NEED_OK(push(rank, got.ticket, change));
          NEED(isFull(change, float(rank)));
        }
        NEED(copied(rank) == 0);
        fabric->leave(rank);
        return true;
      }
      Granted granted;
      Collected collected;
      NEED_OK(grant(true, bound, filled(0, 1), granted));
      for (int64_t round = 1; round <= rounds; ++round) {
        NEED_OK(collect(first, got, collected));
        float sum = 0;
        for (int each : collected.ranks)
          sum += float(each);
        NEED(isFull(got.value, sum));
        NEED(got.isInPlace() == (first == 1));
        NEED_OK(grant(false, bound, filled(0, float(round + 1)), granted));
        NEED(isFull(got.value, sum));
      }
      NEED_OK(fabric->close(0, 0, soon()));
      NEED(copied(0) == 0);
      return true;
    });
  }
}

/// Uploads that nobody looks at, and models that nobody asks for, give their
/// memory back.
TEST_P(MailboxBlocks, WhatIsReplacedIsUsedAgain) {
  makeMail(2, 2);
  runAll([&](int rank) {
    Got got;
    Granted granted;
    Collected collected;
    if (rank == 0)
      NEED_OK(grant(true, 0, filled(0, 1), granted));
    else
      NEED_OK(pull(1, 0, got));
    got.value.reset();
    for (int i = 1; rank == 1 && i <= 20; ++i)
      NEED_OK(push(1, 1, filled(1, float(i))));
    NEED_OK(fabric->barrier(rank, soon()));
    for (int i = 1; rank == 0 && i <= 20; ++i)
      NEED_OK(grant(true, 0, filled(0, float(100 + i)), granted));
    NEED_OK(fabric->barrier(rank, soon()));
    if (rank == 1) { // the newest
      NEED_OK(pull(1, 1, got));
      NEED(got.ticket == 21 && isFull(got.value, 120) && got.isInPlace());
      NEED_OK(push(1, got.ticket, filled(1, 50)));
    } else {
      NEED_OK(collect(1, got, collected));
      NEED(isFull(got.value, 50));
    }
    NEED(copied(rank) == 0);
    return true;
  });
}

TEST_P(MailboxBlocks, UploadsThatAreDroppedAreGivenBack) {
  makeMail(3, 3);
  runAll([&](int rank) {
    Got got;
    Granted granted;
    Collected collected;
    if (rank == 0) {
      NEED_OK(grant(true, 50, filled(0, 1), granted));
      for (int64_t round = 1; round <= 20; ++round) {
        NEED_OK(fabric->barrier(0, soon())); // rank 2 has pushed what
        NEED_OK(fabric->barrier(0, soon())); // is void, then rank 1
        NEED_OK(collect(1, got, collected));
        NEED(collected.ranks == std::vector<int>({1}));
        NEED(isFull(got.value, float(round)));
        got.value.reset();
        NEED_OK(grant(false, 50, filled(0, 1), granted));
      }
      NEED(fabric->counters(0).dropped == 20);
    }
    for (int64_t round = 1; rank > 0 && round <= 20; ++round) {
      if (rank == 1)
        NEED_OK(pull(1, got.ticket, got));
      if (rank == 2)
        NEED_OK(push(2, 0, filled(2, -1)));
      NEED_OK(fabric->barrier(rank, soon()));
      if (rank == 1)
        NEED_OK(push(1, got.ticket, filled(1, float(round))));
      NEED_OK(fabric->barrier(rank, soon()));
    }
    NEED(copied(rank) == 0);
    return true;
  });
}

/// Weights are of the sum: whoever pushed a value has it still.
TEST_P(MailboxBlocks, AnOldUploadIsWeightedInTheSumOnly) {
  makeMail(3, 8);
  runAll([&](int rank) {
    Got got;
    Granted granted;
    Collected collected;
    SharedBlock mine;
    auto send = [&](int64_t ticket) {
      mine = filled(rank, 12);
      return push(rank, ticket, mine);
    };
    if (rank == 0) {
      NEED_OK(grant(true, 1, filled(0, 1), granted));
      NEED_OK(collect(1, got, collected, true));
      NEED(isFull(got.value, 12) && got.isInPlace());
      NEED_OK(grant(false, 1, filled(0, 2), granted));
      NEED_OK(fabric->barrier(0, soon()));
      NEED_OK(collect(2, got, collected, true));
      NEED(collected.staleness == std::vector<int64_t>({0, 1}));
      NEED(isFull(got.value, 12 + 6));
    } else {
      NEED_OK(pull(rank, 0, got));
      if (rank == 1) {
        NEED_OK(send(1));
        NEED(!isWritable(mine) || isOneProcess());
        NEED_OK(pull(1, 1, got));
      }
      NEED_OK(fabric->barrier(rank, soon()));
      NEED_OK(send(rank == 1 ? 2 : 1));
    }
    NEED_OK(fabric->barrier(rank, soon()));
    NEED(rank == 0 || isFull(mine, 12));
    NEED(copied(rank) == 0);
    return true;
  });
}

/// One block each: what cannot be lent goes by copies, and is right all the
/// same.
TEST_P(MailboxBlocks, WithoutBlocksLeftValuesAreCopiedAndCounted) {
  makeMail(2, 1);
  runAll([&](int rank) {
    Got got;
    Granted granted;
    Collected collected;
    std::vector<Got> held;
    if (rank == 0) {
      NEED_OK(grant(true, 5, filled(0, 1), granted));
      for (int64_t round = 1; round <= 6; ++round) {
        NEED_OK(collect(1, got, collected));
        NEED(isFull(got.value, float(round)));
        NEED_OK(grant(false, 5, filled(0, float(round + 1)), granted));
        held.push_back(std::move(got));
      }
      for (size_t i = 0; i < held.size(); ++i)
        NEED(isFull(held[i].value, float(i + 1)));
    } else {
      for (int64_t round = 1; round <= 6; ++round) {
        NEED_OK(pull(1, got.ticket, got));
        NEED(isFull(got.value, float(round)));
        held.push_back(got);
        NEED_OK(push(1, got.ticket, filled(1, float(round))));
      }
      for (size_t i = 0; i < held.size(); ++i)
        NEED(isFull(held[i].value, float(i + 1)));
    }
    // Only the first of each could be lent: five uploads and six models were
    // copied, of which the worker has taken five.
    NEED(copied(rank) == (isOneProcess() ? 0 : (rank ? 10 : 6) * valueBytes));
    return true;
  });
}

TEST_P(MailboxBlocks, WhatAWorkerHasAlreadyComesAsACopy) {
  makeMail(2, 3);
  runAll([&](int rank) {
    Granted granted;
    if (rank == 0) {
      SharedBlock model = filled(0, 7);
      NEED_OK(grant(true, 0, model, granted));
      NEED_OK(fabric->barrier(0, soon()));
      NEED_OK(grant(true, 0, model, granted));
      NEED_OK(fabric->barrier(0, soon()));
      NEED(copied(0) == 0);
      return true;
    }
    Got first, again, second;
    NEED_OK(pull(1, 0, first));
    NEED_OK(pull(1, 0, again)); // the same one
    NEED_OK(fabric->barrier(1, soon()));
    NEED_OK(pull(1, 1, second));
    NEED(first.isInPlace() && isFull(first.value, 7));
    NEED(second.ticket == 2 && isFull(second.value, 7));
    NEED(again.isInPlace() == isOneProcess() && isFull(again.value, 7));
    NEED(copied(1) == (isOneProcess() ? 0 : 2 * valueBytes));
    // Once it has none of them any more, the next is shown again.
    first.value.reset();
    NEED_OK(pull(1, 1, second));
    NEED(second.isInPlace() && isFull(second.value, 7));
    NEED_OK(fabric->barrier(1, soon()));
    return true;
  });
}

/// Memory of the caller's own is copied once, by its owner.
TEST_P(MailboxBlocks, OtherMemoryIsCopiedIntoABlock) {
  makeMail(2, 4);
  runAll([&](int rank) {
    Got got;
    Granted granted;
    Collected collected;
    std::vector<float> own(size_t(valueCount), 3.0f);
    int64_t number = 0;
    Part parts[] = {::partOf(own), ::partOf(number)};
    if (rank == 0) {
      NEED_OK(fabric->grant(0, 0, true, 0, parts, granted));
      std::ranges::fill(own, -1.0f);
      NEED_OK(collect(1, got, collected));
    } else {
      NEED_OK(pull(1, 0, got));
      NEED_OK(fabric->push(1, 0, got.ticket, parts));
      std::ranges::fill(own, -1.0f);
    }
    NEED(isFull(got.value, 3) && copied(rank) == valueBytes);
    return true;
  });
}

TEST_P(MailboxBlocks, TheDeadHoldNothing) {
  makeMail(3, 1);
  Granted granted;
  Got got, other;
  ASSERT_TRUE(grant(true, 0, filled(0, 1), granted));
  ASSERT_TRUE(pull(1, 0, got));
  const char *memory = got.value->data;
  // One worker reads it, the other has not asked for it yet.
  EXPECT_NE(fabric->blocks(0).take(valueBytes)->data, memory);
  fabric->lost(2);
  ASSERT_TRUE(grant(true, 0, fabric->blocks(0).take(valueBytes), granted));
  EXPECT_NE(fabric->blocks(0).take(valueBytes)->data, memory);
  EXPECT_TRUE(isFull(got.value, 1));
  fabric->lost(1);
  ASSERT_TRUE(grant(true, 0, fabric->blocks(0).take(valueBytes), granted));
  if (isOneProcess())
    return;
  EXPECT_EQ(fabric->blocks(0).take(valueBytes)->data, memory);
}

RB_HOST_TRANSPORTS(MailboxBlocks);

} // namespace
