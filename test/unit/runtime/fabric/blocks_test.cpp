// Values in the fabric's memory: what is started is kept where it lies, what
// arrives is brought as a block, and nobody writes to what others read.
#include "value_blocks.h"

using namespace rubato;

namespace {

class Blocks : public ValueBlocks {
protected:
  const ChannelSpec reductions{"grads", ChannelSpec::Kind::Collective,
                               valueBytes + 64};
  const ChannelSpec exchanges{"pairs", ChannelSpec::Kind::Pair,
                              valueBytes + 64};
};

TEST_P(Blocks, AReductionCopiesNumbersOnly) {
  for (int members : {1, 2, 3}) {
    makeWith(members, {reductions}, 4);
    runAll([&](int rank) {
      int64_t carried = 0;
      for (int64_t call = 1; call <= 20; ++call) {
        SharedBlock sent = filled(rank, float(call * (rank + 1)));
        int64_t number = call + rank;
        Part ins[] = {partOf(sent), ::partOf(number)};
        int64_t future = 0;
        NEED_OK(fabric->startAllReduce(rank, 0, ins, future));
        // Under way: whoever writes next needs other memory.
        NEED(!isWritable(sent));
        sent.reset();
        if (carried) {
          SharedBlock sum;
          Part outs[] = {partOf(sum), ::partOf(number)};
          NEED_OK(fabric->await(rank, carried, outs, soon()));
          int all = members * (members + 1) / 2;
          NEED(isFull(sum, float((call - 1) * all)));
          NEED(number == (call - 1) * members + members * (members - 1) / 2);
          // What everybody reads is nobody's to write.
          NEED(members == 1 || !isWritable(sum) || isOneProcess());
        }
        carried = future;
      }
      NEED(fabric->copied(rank).values == 0);
      NEED(fabric->copied(rank).numbers == 8 * 20 + 8 * 19);
      fabric->leave(rank);
      return true;
    });
  }
}

TEST_P(Blocks, AResultStaysWhileItIsHeld) {
  makeWith(2, {reductions}, 8);
  runAll([&](int rank) {
    // Rank 1 holds every result, so that later ones find their places taken.
    std::vector<SharedBlock> held;
    for (int64_t call = 1; call <= 6; ++call) {
      SharedBlock sent = filled(rank, float(call)), sum;
      Part ins[] = {partOf(sent)}, outs[] = {partOf(sum)};
      int64_t future = 0;
      NEED_OK(fabric->startAllReduce(rank, 0, ins, future));
      NEED_OK(fabric->await(rank, future, outs, soon()));
      NEED(isFull(sum, float(2 * call)));
      if (rank == 1)
        held.push_back(std::move(sum));
    }
    for (size_t i = 0; i < held.size(); ++i)
      NEED(isFull(held[i], float(2 * (i + 1))));
    // Two could be shown; the four behind them were copied, and counted.
    NEED(fabric->copied(rank).values == (isOneProcess() ? 0 : 4 * valueBytes));
    fabric->leave(rank);
    return true;
  });
}

TEST_P(Blocks, WithoutBlocksOfTheFabricValuesAreCopiedAndCounted) {
  make(2, {reductions});
  runAll([&](int rank) {
    SharedBlock sent = filled(rank, float(rank)), sum;
    Part ins[] = {partOf(sent)}, outs[] = {partOf(sum)};
    int64_t future = 0;
    NEED_OK(fabric->startAllReduce(rank, 0, ins, future));
    NEED_OK(fabric->await(rank, future, outs, soon()));
    NEED(isFull(sum, 1));
    NEED(fabric->copied(rank).values == (isOneProcess() ? 0 : valueBytes));
    fabric->leave(rank);
    return true;
  });
}

TEST_P(Blocks, ABroadcastIsLentToAll) {
  makeWith(3, {reductions}, 4);
  runAll([&](int rank) {
    for (int64_t call = 1; call <= 9; ++call) {
      int root = int(call % 3);
      SharedBlock value = filled(rank, float(10 * rank + call));
      Part parts[] = {partOf(value)};
      int64_t future = 0;
      NEED_OK(fabric->startBroadcast(rank, 0, root, parts, future));
      NEED_OK(fabric->await(rank, future, parts, soon()));
      NEED(isFull(value, float(10 * root + call)));
      NEED(rank == root || !isWritable(value) || isOneProcess());
    }
    NEED(fabric->copied(rank).values == 0);
    fabric->leave(rank);
    return true;
  });
}

TEST_P(Blocks, AnExchangeLendsAndIsGivenBack) {
  makeWith(2, {exchanges}, 3);
  runAll([&](int rank) {
    for (int64_t tag = 1; tag <= 30; ++tag) {
      SharedBlock sent = filled(rank, float(100 * rank + tag)), got;
      Part ins[] = {partOf(sent)}, outs[] = {partOf(got)};
      int64_t future = 0;
      NEED_OK(fabric->startExchange(rank, 0, 1 - rank, tag, ins, future));
      NEED(!isWritable(sent) || isOneProcess());
      sent.reset();
      NEED_OK(fabric->await(rank, future, outs, soon()));
      NEED(isFull(got, float(100 * (1 - rank) + tag)));
    }
    NEED(fabric->copied(rank).values == 0);
    fabric->leave(rank);
    return true;
  });
}

TEST_P(Blocks, WhatAPeerHoldsIsNotUsedAgain) {
  makeWith(2, {exchanges}, 2);
  runAll([&](int rank) {
    std::vector<SharedBlock> held;
    for (int64_t tag = 1; tag <= 6; ++tag) {
      SharedBlock sent = filled(rank, float(100 * rank + tag)), got;
      Part ins[] = {partOf(sent)}, outs[] = {partOf(got)};
      int64_t future = 0;
      NEED_OK(fabric->startExchange(rank, 0, 1 - rank, tag, ins, future));
      NEED_OK(fabric->await(rank, future, outs, soon()));
      held.push_back(std::move(got));
    }
    // The pool had two; the rest went by copies.
    for (size_t i = 0; i < held.size(); ++i)
      NEED(isFull(held[i], float(100 * (1 - rank) + int(i) + 1)));
    NEED_OK(fabric->barrier(rank, soon()));
    held.clear();
    NEED_OK(fabric->barrier(rank, soon()));
    int64_t before = fabric->copied(rank).values;
    SharedBlock sent = filled(rank, 7), got;
    Part ins[] = {partOf(sent)}, outs[] = {partOf(got)};
    int64_t future = 0;
    NEED_OK(fabric->startExchange(rank, 0, 1 - rank, 99, ins, future));
    NEED_OK(fabric->await(rank, future, outs, soon()));
    NEED(isFull(got, 7) && fabric->copied(rank).values == before);
    fabric->leave(rank);
    return true;
  });
}

TEST_P(Blocks, TheDeadHoldNothing) {
  makeWith(2, {exchanges}, 1);
  int64_t futures[2] = {0, 0};
  SharedBlock sent[2], got;
  for (int rank : {0, 1}) {
    sent[rank] = filled(rank, float(rank));
    Part ins[] = {partOf(sent[rank])};
    ASSERT_TRUE(
        fabric->startExchange(rank, 0, 1 - rank, 1, ins, futures[rank]));
  }
  const char *memory = sent[0]->data;
  Part outs[] = {partOf(got)};
  ASSERT_TRUE(fabric->await(1, futures[1], outs, soon()));
  sent[0].reset();
  // Rank 1 reads it until it dies.
  EXPECT_NE(fabric->blocks(0).take(valueBytes)->data, memory);
  EXPECT_TRUE(isFull(got, 0));
  fabric->lost(1);
  if (isOneProcess())
    got.reset();
  EXPECT_EQ(fabric->blocks(0).take(valueBytes)->data, memory);
  got.reset();
}

RB_HOST_TRANSPORTS(Blocks);

} // namespace
