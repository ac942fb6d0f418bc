// A queue between two: order, room, and both at once.
#include "support/shared_ring.h"

#include "support/memory.h"

#include <gtest/gtest.h>
#include <new>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace rubato;

namespace {

struct Pair {
  int64_t number = 0, twice = 0;
};
using Ring = SharedRing<Pair, 8>;

Pair pairOf(int64_t number) { return {number, 2 * number}; }

TEST(SharedRing, KeepsTheOrder) {
  Ring ring;
  Pair got;
  EXPECT_EQ(ring.front(), nullptr);
  EXPECT_FALSE(ring.take(got));
  for (int64_t turn = 0; turn < 5; ++turn) { // around its end, too
    for (int64_t i = 0; i < 5; ++i)
      ASSERT_TRUE(ring.put(pairOf(turn * 10 + i)));
    ASSERT_NE(ring.front(), nullptr);
    EXPECT_EQ(ring.front()->number, turn * 10);
    EXPECT_EQ(ring.front()->number, turn * 10); // stays
    ring.pop();
    for (int64_t i = 1; i < 5; ++i) {
      ASSERT_TRUE(ring.take(got));
      EXPECT_EQ(got.number, turn * 10 + i);
    }
    EXPECT_FALSE(ring.take(got));
  }
}

TEST(SharedRing, RefusesWhatItHasNoRoomFor) {
  Ring ring;
  for (int64_t i = 0; i < 8; ++i)
    ASSERT_TRUE(ring.put(pairOf(i)));
  EXPECT_FALSE(ring.put(pairOf(8)));
  EXPECT_FALSE(ring.put(pairOf(8)));
  EXPECT_EQ(ring.front()->number, 0); // nothing was overwritten
  ring.pop();
  EXPECT_TRUE(ring.put(pairOf(9)));
  EXPECT_FALSE(ring.put(pairOf(10)));
  Pair got;
  for (int64_t expected : {1, 2, 3, 4, 5, 6, 7, 9}) {
    ASSERT_TRUE(ring.take(got));
    EXPECT_EQ(got.number, expected);
  }
}

constexpr int64_t handedOver = 20000;

bool writeAll(Ring &ring) {
  for (int64_t i = 0; i < handedOver;)
    if (ring.put(pairOf(i)))
      ++i;
    else
      std::this_thread::yield();
  return true;
}

bool readAll(Ring &ring) {
  for (int64_t i = 0; i < handedOver;) {
    Pair got;
    if (!ring.take(got)) {
      std::this_thread::yield();
      continue;
    }
    if (got.number != i || got.twice != 2 * i)
      return false;
    ++i;
  }
  return true;
}

TEST(SharedRing, BetweenThreads) {
  Ring ring;
  std::thread writer([&] { writeAll(ring); });
  EXPECT_TRUE(readAll(ring));
  writer.join();
}

TEST(SharedRing, BetweenProcesses) {
  Memory memory;
  ASSERT_TRUE(Memory::sharedMemory(sizeof(Ring), "ring", memory));
  Ring &ring = *new (memory.data()) Ring;
  pid_t child = fork();
  if (child == 0)
    _exit(writeAll(ring) ? 0 : 1);
  EXPECT_TRUE(readAll(ring));
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

} // namespace
