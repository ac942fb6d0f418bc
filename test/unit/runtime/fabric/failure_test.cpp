// What members see when one of them is late, dead or somewhere else.
#include "fabric/group.h"

#include "run_members.h"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/mman.h>

using namespace rubato;

namespace {

bool mentions(const Status &status, const std::string &text) {
  return !status && status.code() == ErrorCode::Communication &&
         status.message().find(text) != std::string::npos;
}

std::unique_ptr<Group> groupOf(int members) {
  std::unique_ptr<Group> group;
  EXPECT_TRUE(Group::create(members, 64, 64, group));
  return group;
}

class Failure : public testing::TestWithParam<By> {};

TEST_P(Failure, TheDeadlineNamesWhoIsMissing) {
  auto group = groupOf(3);
  int bad = runMembers(GetParam(), 3, [&](int rank) {
    if (rank == 2)
      return true; // never comes
    auto deadline =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(400);
    Status status = group->barrier(rank, deadline);
    return mentions(status, "rank 2 did not arrive");
  });
  EXPECT_EQ(bad, 0);
  EXPECT_EQ(group->verdict(), RB_TIMED_OUT);
}

TEST_P(Failure, AbortEndsWaitsUnderWayAndLaterOnes) {
  auto group = groupOf(3);
  std::thread launcher;
  if (GetParam() == By::Threads)
    launcher = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      group->abort(2);
    });
  int bad = runMembers(GetParam(), 3, [&](int rank) {
    if (rank == 2) {
      if (GetParam() == By::Processes) {
        usleep(20000);
        group->abort(2);
      }
      return true;
    }
    // Far beyond the test's patience: only the abort ends this.
    auto deadline = std::chrono::steady_clock::now() + std::chrono::hours(1);
    return mentions(group->barrier(rank, deadline), "rank 2 is gone") &&
           mentions(group->barrier(rank, deadline), "rank 2 is gone");
  });
  if (launcher.joinable())
    launcher.join();
  EXPECT_EQ(bad, 0);
  EXPECT_EQ(group->verdict(), RB_PEER_LOST);
}

TEST_P(Failure, DifferentCallsAreNamed) {
  auto group = groupOf(2);
  rb_range in = {RB_SHARED, RB_F32, 0, 4}, out = {RB_RESULT, RB_F32, 0, 4};
  auto call = [&](int rank, int64_t seq) {
    return group->allReduceSum(rank, {0, seq}, &in, &out, 1, soon());
  };
  int bad = runMembers(GetParam(), 2, [&](int rank) {
    return call(rank, 0) && !call(rank, 1 + rank);
  });
  EXPECT_EQ(bad, 0);
  EXPECT_EQ(group->verdict(), RB_INVALID);

  group = groupOf(2);
  bad = runMembers(GetParam(), 2, [&](int rank) {
    Status status = rank == 0 ? group->barrier(rank, soon()) : call(rank, 0);
    return !status &&
           status.message().find("same executable") != std::string::npos;
  });
  EXPECT_EQ(bad, 0);
}

INSTANTIATE_TEST_SUITE_P(Members, Failure,
                         testing::Values(By::Threads, By::Processes),
                         [](const auto &info) {
                           return info.param == By::Threads ? "threads"
                                                            : "processes";
                         });

TEST(Failure, TheFirstVerdictStays) {
  auto group = groupOf(2);
  group->abort(1);
  group->abort(0);
  group->abort(-1);
  EXPECT_TRUE(mentions(group->barrier(0, soon()), "rank 1 is gone"));
  group = groupOf(1);
  group->abort(-1);
  EXPECT_TRUE(mentions(group->barrier(0, soon()), "ended from outside"));
  EXPECT_EQ(group->verdict(), RB_ABORTED);
}

/// Memory of the test itself, shared with its children.
struct Counts {
  std::atomic<int64_t> passed[4];
};

TEST(Failure, SurvivorsOfAKillAgreeOnWhatWasPassed) {
  // Killed at a random moment among thousands of all-reduces; the launcher
  // then names the dead member. All survivors must have passed the same ones.
  auto *counts = static_cast<Counts *>(mmap(nullptr, sizeof(Counts),
                                            PROT_READ | PROT_WRITE,
                                            MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(counts, MAP_FAILED);
  rb_range in = {RB_SHARED, RB_F32, 0, 16}, out = {RB_RESULT, RB_F32, 0, 16};
  for (int trial = 0; trial < 30; ++trial) {
    constexpr int members = 4, victim = 2;
    auto group = groupOf(members);
    std::vector<pid_t> children;
    for (int rank = 0; rank < members; ++rank) {
      counts->passed[rank] = 0;
      pid_t child = fork();
      if (child == 0) {
        Status status;
        while ((status = group->allReduceSum(rank, &in, &out, 1, soon())))
          ++counts->passed[rank];
        _exit(mentions(status, "rank 2 is gone") ? 0 : 1);
      }
      children.push_back(child);
    }
    while (counts->passed[0] < 10)
      usleep(100);
    usleep(useconds_t(trial) * 37);
    kill(children[victim], SIGKILL);
    int status = 0;
    waitpid(children[victim], &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    group->abort(victim);
    for (int rank = 0; rank < members; ++rank) {
      if (rank == victim)
        continue;
      waitpid(children[size_t(rank)], &status, 0);
      EXPECT_EQ(status, 0) << "rank " << rank;
      EXPECT_EQ(counts->passed[rank], counts->passed[0]) << "rank " << rank;
    }
  }
  munmap(counts, sizeof(Counts));
}

} // namespace
