// The desk of one process: many threads ask, some members leave.
#include "control/local_desk.h"

#include "desk_course.h"

using namespace rubato;
using policy::Value;

namespace {

std::unique_ptr<LocalDesk> deskOf(int members) {
  std::unique_ptr<LocalDesk> desk;
  Status status = LocalDesk::make(askingProgram(), members, 1, 1000, desk);
  EXPECT_TRUE(status) << status.message();
  return desk;
}

Deadline after(int milliseconds) {
  return std::chrono::steady_clock::now() +
         std::chrono::milliseconds(milliseconds);
}

TEST(LocalDesk, ServesManyThreadsAtOnce) {
  constexpr int members = 4;
  DeskCourse course(members);
  auto desk = deskOf(members);
  std::vector<std::thread> threads;
  for (int rank = 0; rank != members; ++rank)
    threads.emplace_back([&, rank] {
      course.run(*desk, rank, 1);
      desk->leave(rank);
    });
  for (std::thread &thread : threads)
    thread.join();
  course.check({});
}

TEST(LocalDesk, LeavingAnswersThoseWhoWait) {
  auto desk = deskOf(3);
  std::atomic<int> answered{0};
  std::vector<std::thread> threads;
  for (int rank = 0; rank != 2; ++rank) {
    threads.emplace_back([&, rank] {
      bool ok = false;
      EXPECT_TRUE(desk->commit({rank, 0, 0}, 1, 1, ok, farAway()));
      EXPECT_TRUE(ok);
      ++answered;
    });
    threads.emplace_back([&, rank] {
      Value inputs[] = {int64_t(0), 0.0}, rows[2];
      EXPECT_TRUE(desk->ask({rank, 1, 0}, Shares, 0, inputs, rows, farAway()));
      EXPECT_EQ(std::get<int64_t>(rows[1]) - std::get<int64_t>(rows[0]), 25);
      ++answered;
    });
  }
  // The one that leaves waits itself, in another strand.
  threads.emplace_back([&] {
    Value match[3];
    Status status = desk->ask({2, 1, 0}, Match, Next, {}, match, farAway());
    EXPECT_EQ(status.code(), ErrorCode::Communication);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(answered, 0);
  desk->leave(2);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(answered, 4);
}

TEST(LocalDesk, ADeadlineEndsAWait) {
  auto desk = deskOf(2);
  Value match[3];
  Status status = desk->ask({0, 0, 0}, Match, Next, {}, match, after(10));
  EXPECT_EQ(status.code(), ErrorCode::Communication);
  EXPECT_NE(status.message().find("deadline"), std::string::npos);
  bool ok = false;
  EXPECT_FALSE(desk->commit({0, 0, 0}, 1, 1, ok, after(10)));
  // The strand may ask again.
  EXPECT_TRUE(desk->ask({0, 0, 0}, Match, Constants, {}, {match, 2}, after(0)));
  EXPECT_EQ(desk->ask({0, 0, 0}, Match, Constants, {}, match, after(0)).code(),
            ErrorCode::Internal);
}

} // namespace
