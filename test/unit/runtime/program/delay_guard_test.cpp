// Gradients that are applied exactly one round late, and what is found when
// they are not.
#include "program/course.h"

#include "program/delay_guard.h"

using namespace rubato;
using namespace rubato::test;

namespace {

/// Two members that reduce one number of samples each.
struct Guarded : testing::Test {
  Guarded() {
    program.channels.resize(2);
    program.channels[0].name = "other";
    program.channels[1].name = "grads";
    program.roles.resize(1);
    program.roles[0].name = "worker";
    program.roles[0].strands.resize(1);
    program.roles[0].strands[0].name = "round";
    program.roles[0].strands[0].polls = {"grads"};
    for (int rank = 0; rank < 2; ++rank)
      guards.emplace_back(program, program.roles[0], std::vector{0, 1},
                          statistics);
  }

  Status starts(int rank, int64_t round, int64_t samples, int64_t reduced,
                bool arrived = true) {
    float gradient[3] = {};
    Part parts[] = {{RB_F32, 3, gradient}, {RB_I64, 1, &reduced}};
    return guards[size_t(rank)].starts({rank, 0, round}, parts, samples,
                                       arrived);
  }
  Status awaits(int rank, int64_t round, int64_t of, bool arrived = true) {
    return guards[size_t(rank)].awaits(
        {rank, 0, round}, {5, Call::AllReduce, 1, -1, of}, arrived);
  }
  Status got(int rank, int64_t round, int64_t of, int64_t samples) {
    float gradient[3] = {};
    Part parts[] = {{RB_F32, 3, gradient}, {RB_I64, 1, &samples}};
    return guards[size_t(rank)].got({rank, 0, round},
                                    {5, Call::AllReduce, 1, -1, of}, parts);
  }
  static void fails(const Status &status, const std::string &what) {
    EXPECT_EQ(status.code(), ErrorCode::Internal);
    EXPECT_NE(status.message().find(what), std::string::npos)
        << status.message();
  }

  ProgramSpec program;
  MemberStatistics statistics[2];
  std::vector<DelayGuard> guards;
};

TEST_F(Guarded, WatchesWhatIsPolled) {
  EXPECT_TRUE(guards[0].watches(1));
  EXPECT_FALSE(guards[0].watches(0));
  program.roles[0].strands[0].polls.clear();
  DelayGuard none(program, program.roles[0], {0, 1}, statistics);
  EXPECT_FALSE(none.watches(1));
  EXPECT_FALSE(none.watches(-1));
}

TEST_F(Guarded, ADelayOfOneIsRight) {
  ASSERT_TRUE(starts(0, 0, 8, 8));
  ASSERT_TRUE(starts(1, 0, 24, 24));
  for (int64_t round = 1; round < 9; ++round) {
    for (int rank : {0, 1})
      ASSERT_TRUE(starts(rank, round, 8 * round, 8 * round));
    for (int rank : {0, 1}) {
      ASSERT_TRUE(awaits(rank, round, round - 1));
      Status status =
          got(rank, round, round - 1, round == 1 ? 32 : 16 * (round - 1));
      ASSERT_TRUE(status) << status.message();
    }
  }
  ASSERT_TRUE(awaits(0, drainRound, 8, false)); // may wait
  ASSERT_TRUE(got(0, drainRound, 8, 128));
}

TEST_F(Guarded, NoOtherDelayIs) {
  fails(awaits(0, 4, 2), "awaits the reduction of round 2; gradients must be "
                         "applied exactly one round late");
  fails(awaits(0, 4, 4), "awaits the reduction of round 4");
  fails(awaits(0, 0, 0), "before there was one");
}

TEST_F(Guarded, NobodyWaits) {
  fails(awaits(0, 4, 3, false), "rank 0, worker.round, round 4: would wait");
  fails(starts(0, 0, 8, 8, false), "before that of the round before");
}

TEST_F(Guarded, ARoundHasOneReduction) {
  ASSERT_TRUE(starts(0, 0, 8, 8));
  fails(starts(0, 0, 8, 8), "starts reduction 1");
  fails(starts(0, 2, 8, 8), "starts reduction 1");
}

TEST_F(Guarded, SamplesAreCounted) {
  fails(starts(1, 0, 8, 7), "computed 8 samples and reduces another number");
  ASSERT_TRUE(starts(0, 0, 8, 8));
  ASSERT_TRUE(starts(1, 0, 16, 16));
  ASSERT_TRUE(starts(0, 1, 8, 8));
  fails(got(0, 1, 0, 16), "counts 16 samples, but members computed 24");
  fails(starts(0, 2, 8, 9), "computed 8 samples");
}

TEST_F(Guarded, NobodyIsTwoAhead) {
  ASSERT_TRUE(starts(0, 0, 8, 8));
  ASSERT_TRUE(starts(0, 1, 8, 8));
  fails(got(0, 1, 0, 8), "rank 1 has started 0"); // a sum without its part
  ASSERT_TRUE(starts(1, 0, 8, 8));
  ASSERT_TRUE(got(0, 1, 0, 16));
  for (int64_t round = 1; round < 4; ++round)
    ASSERT_TRUE(starts(1, round, 8, 8));
  fails(got(0, 1, 0, 16), "rank 1 has started 4");
}

/// A program that says it computes until a reduction has arrived, and does not.
TEST(DelayGuard, FindsAProgramThatWaits) {
  nlohmann::json manifest = delayedManifest();
  manifest["program"]["roles"][0]["strands"][0]["polls"] = {"grads"};
  HandUnit unit(manifest, delayedFunctions());
  Course course(unit.code, 2, 1 << 20);
  // Rank 1 never comes.
  Course::check(course.crew[0]->init());
  Status status = course.crew[0]->strand(0);
  EXPECT_EQ(status.code(), ErrorCode::Internal);
  EXPECT_NE(status.message().find("round 1: starts a reduction before"),
            std::string::npos)
      << status.message();
}

/// One that does is not found fault with, whoever is slow.
TEST(DelayGuard, LetsAProgramThatPollsRun) {
  handHook = [](rb_ctx *ctx, int64_t) {
    if (rb_rank(ctx) == 1)
      std::this_thread::sleep_for(std::chrono::microseconds(300));
  };
  Course course(delayedUnit(1), 3, 4000);
  course.go();
  handHook = nullptr;
  EXPECT_GE(course.memoryOf(0).seen, 4000);
  EXPECT_EQ(course.memoryOf(0).seen, course.memoryOf(2).seen);
  EXPECT_GE(course.statistics[0].reductions.load(), 2);
}

} // namespace
