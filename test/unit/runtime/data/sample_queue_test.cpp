// The queue of samples, the order behind it, and the cursor of rounds.
#include "data/batch_writer.h"
#include "data/cursor.h"
#include "data/permutation.h"
#include "data/sample_order.h"
#include "data/sample_queue.h"
#include "support/memory.h"

#include <gtest/gtest.h>
#include <map>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace rubato;

namespace {

using Places = std::vector<int64_t>;

struct Queue {
  explicit Queue(int64_t samples, int64_t returns = 64) {
    EXPECT_TRUE(
        Memory::sharedMemory(SampleQueue::bytes(returns), "queue", memory));
    queue = SampleQueue::make(memory.data(), samples, returns);
  }
  Places take(size_t most = 4) {
    Places places(most);
    places.resize(size_t(queue->take(places)));
    return places;
  }
  Memory memory;
  SampleQueue *queue = nullptr;
};

TEST(SampleQueue, NoBatchMixesEpochs) {
  Queue q(10);
  EXPECT_EQ(q.take(), (Places{0, 1, 2, 3}));
  EXPECT_EQ(q.take(), (Places{4, 5, 6, 7}));
  EXPECT_EQ(q.take(), (Places{8, 9}));
  EXPECT_EQ(q.take(), (Places{10, 11, 12, 13}));
}

TEST(SampleQueue, WhatComesBackGoesOutFirst) {
  Queue q(10);
  Places first = q.take(), second = q.take();
  EXPECT_TRUE(q.queue->giveBack(second));
  EXPECT_TRUE(q.queue->giveBack(std::span(first).first(1)));
  Places peeked(3);
  EXPECT_EQ(q.queue->peek(peeked), 3);
  EXPECT_EQ(peeked, (Places{0, 4, 5}));
  EXPECT_EQ(q.take(3), (Places{0, 4, 5}));
  EXPECT_EQ(q.take(), (Places{6, 7, 8, 9}));
  // Of an epoch before: alone, though there would be room.
  q.take(2);
  EXPECT_TRUE(q.queue->giveBack(Places{9}));
  EXPECT_EQ(q.take(), (Places{9}));
  EXPECT_EQ(q.take(), (Places{12, 13, 14, 15}));
}

TEST(SampleQueue, HasRoomForSoMany) {
  Queue q(10, 4);
  EXPECT_TRUE(q.queue->giveBack(Places{1, 2, 3}));
  EXPECT_FALSE(q.queue->giveBack(Places{4, 5}));
  EXPECT_TRUE(q.queue->giveBack(Places{4}));
  EXPECT_EQ(q.take(5), (Places{1, 2, 3, 4, 0}));
}

TEST(SampleQueue, ServesThreadsAndProcesses) {
  constexpr int64_t samples = 1000;
  Queue q(samples);
  Memory counts;
  ASSERT_TRUE(Memory::sharedMemory(8 * samples, "counts", counts));
  auto *taken = reinterpret_cast<std::atomic<int64_t> *>(counts.data());
  auto work = [&](int batches) {
    for (int i = 0; i < batches; ++i)
      for (int64_t place : q.take(2))
        ++taken[place % samples];
  };
  pid_t child = fork();
  if (child == 0) {
    work(200);
    _exit(0);
  }
  std::thread other(work, 150);
  work(150);
  other.join();
  int status = 0;
  waitpid(child, &status, 0);
  for (int64_t i = 0; i < samples; ++i)
    EXPECT_EQ(taken[i], 1) << i;
}

TEST(SampleOrder, FollowsThePermutationOfEachEpoch) {
  SampleOrder order{10, 3, true};
  Places places = {2, 9, 10, 25};
  order.resolve(places);
  EXPECT_EQ(places,
            (Places{Permutation(10, 3, 0)[2], Permutation(10, 3, 0)[9],
                    Permutation(10, 3, 1)[0], Permutation(10, 3, 2)[5]}));
  order.shuffle = false;
  places = {2, 19};
  order.resolve(places);
  EXPECT_EQ(places, (Places{2, 9}));
}

TEST(SampleOrder, DrawsUniformly) {
  SampleOrder order{5, 1, true};
  std::map<int64_t, int> times;
  for (int64_t key = 0; key < 500; ++key) {
    Places rows(4);
    order.draw(2, Places{key, 7}, rows);
    for (int64_t row : rows)
      ++times[row];
  }
  ASSERT_EQ(times.size(), 5u);
  for (auto [row, count] : times)
    EXPECT_NEAR(count, 400, 100) << row;
}

TEST(Cursor, TakesTheSharesOfRounds) {
  // As TrainSource: 26 samples, rounds of 12, two members, two quanta of 3.
  for (int64_t member : {0, 1}) {
    Cursor cursor({26, 12, 2, 3, 2, member});
    for (int64_t begin : {0, 12, 24, 26, 38}) {
      int64_t size = begin == 24 ? 2 : 12;
      EXPECT_EQ(cursor.roundSamples(), size);
      Share share = shareOf(size, 2, member);
      Places all;
      for (int quantum = 0; quantum < 2; ++quantum) {
        Places places(3);
        places.resize(size_t(cursor.take(places)));
        all.insert(all.end(), places.begin(), places.end());
      }
      ASSERT_EQ(int64_t(all.size()), share.count);
      for (int64_t i = 0; i < share.count; ++i)
        EXPECT_EQ(all[size_t(i)], begin + share.begin + i);
      cursor.endRound(true);
    }
  }
}

TEST(Cursor, GivesTheSameSamplesAgain) {
  Cursor cursor({26, 4, 1, 4, 1, 0});
  Places first(4), second(4), other(4);
  cursor.take(first);
  cursor.take(other); // a second block of the round
  EXPECT_EQ(other[0], 4);
  cursor.endRound(false);
  cursor.take(second);
  EXPECT_EQ(first, second);
  cursor.take(other);
  cursor.endRound(true);
  cursor.endRound(true); // a round that took nothing
  cursor.take(other);
  EXPECT_EQ(other[0], 8);
}

} // namespace
