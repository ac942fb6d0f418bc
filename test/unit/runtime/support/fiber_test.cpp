// Fibers keep their stacks apart, and end where they should.
#include "support/fiber.h"

#include <gtest/gtest.h>

using namespace rubato;

namespace {

TEST(Fiber, SwitchesBackAndForth) {
  Fiber home;
  std::unique_ptr<Fiber> ping, pong;
  std::string trace;
  ASSERT_TRUE(Fiber::make(
      64 * 1024,
      [&] {
        std::string mine = "ping, which is too long for its own pocket";
        for (int i = 0; i != 3; ++i) {
          trace += mine[1];
          ping->switchTo(*pong);
        }
        trace += "!";
      },
      home, ping));
  ASSERT_TRUE(Fiber::make(
      64 * 1024,
      [&] {
        std::string mine = "pong, which is too long for its own pocket";
        for (int i = 0; i != 3; ++i) {
          trace += mine[1];
          pong->switchTo(*ping);
        }
      },
      home, pong));
  home.switchTo(*ping);
  EXPECT_EQ(trace, "ioioio!");
  EXPECT_TRUE(ping->ended());
  EXPECT_FALSE(pong->ended());
  home.switchTo(*pong);
  EXPECT_TRUE(pong->ended());
}

/// Uses so much stack that fibers would meet if they shared it.
int64_t deep(int64_t n, const std::function<void()> &pause) {
  volatile char room[256];
  room[0] = static_cast<char>(n);
  if (n == 0) {
    pause();
    return 0;
  }
  return deep(n - 1, pause) + (room[0] == static_cast<char>(n));
}

TEST(Fiber, ManyHaveDeepStacks) {
  Fiber home;
  std::vector<std::unique_ptr<Fiber>> fibers(200);
  std::vector<int64_t> depths(fibers.size());
  for (size_t i = 0; i != fibers.size(); ++i)
    ASSERT_TRUE(Fiber::make(
        256 * 1024,
        [&, i] { depths[i] = deep(100, [&] { fibers[i]->switchTo(home); }); },
        home, fibers[i]));
  for (int round = 0; round != 2; ++round)
    for (std::unique_ptr<Fiber> &fiber : fibers)
      home.switchTo(*fiber);
  for (size_t i = 0; i != fibers.size(); ++i) {
    EXPECT_TRUE(fibers[i]->ended());
    EXPECT_EQ(depths[i], 100);
  }
}

/// Writes to the stack down to `bytes` below the caller.
[[gnu::noinline]] void touch(size_t bytes) {
  auto *top = static_cast<volatile char *>(__builtin_frame_address(0));
  for (size_t below = 4096; below < bytes; below += 64)
    *(top - below) = 1;
}

void useStack(size_t bytes) {
  Fiber home;
  std::unique_ptr<Fiber> fiber;
  if (Fiber::make(64 * 1024, [=] { touch(bytes); }, home, fiber))
    home.switchTo(*fiber);
}

TEST(FiberDeathTest, EndsAtTheGuard) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  useStack(56 * 1024);
  // Just beyond its end, where the guard is and nothing else.
  EXPECT_DEATH(useStack(66 * 1024), "");
}

} // namespace
