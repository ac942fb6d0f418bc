// Rendezvous of strands.
#include "program/meeting.h"

#include <gtest/gtest.h>
#include <thread>

using namespace rubato;

namespace {

TEST(Meeting, TwoStrandsMeetAgainAndAgain) {
  Meeting meeting({0, 1});
  int met[2] = {};
  auto strand = [&](int index) {
    for (int i = 0; i < 1000; ++i)
      met[index] += meeting.meet(index) == Meeting::Outcome::Met;
  };
  std::thread other(strand, 1);
  strand(0);
  other.join();
  EXPECT_EQ(met[0], 1000);
  EXPECT_EQ(met[1], 1000);
}

TEST(Meeting, NobodyWaitsForOneThatHasEnded) {
  Meeting meeting({0, 1});
  std::thread waits([&] {
    EXPECT_EQ(meeting.meet(0), Meeting::Outcome::Alone);
    EXPECT_EQ(meeting.meet(0), Meeting::Outcome::Alone);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  meeting.ended(1);
  waits.join();
}

TEST(Meeting, NobodyWaitsOnceItIsAbandoned) {
  Meeting meeting({0, 1});
  std::thread waits(
      [&] { EXPECT_EQ(meeting.meet(0), Meeting::Outcome::Abandoned); });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  meeting.abandon();
  waits.join();
  EXPECT_EQ(meeting.meet(1), Meeting::Outcome::Abandoned);
}

} // namespace
