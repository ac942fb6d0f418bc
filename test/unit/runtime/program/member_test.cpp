// A member by itself: its memory, the order of its parts, rounds that are run
// again, and synchronous rounds as a program.
#include "common/fake_environment.h"
#include "common/hand_unit.h"
#include "common/points.h"
#include "common/sample_unit.h"
#include "train/fake_unit.h"

#include "program/member.h"
#include "program/synchronous.h"
#include "telemetry/timeline.h"

#include <gtest/gtest.h>

using namespace rubato;
using namespace rubato::test;

namespace {

struct Solo {
  explicit Solo(const rb_unit &code, bool synchronous = false) {
    Status status = loadUnit(code, unit);
    if (status && synchronous)
      status = asProgram(Unit(unit), unit);
    data = points.load(unit);
    MemberSetup setup{.unit = unit,
                      .environment = environment,
                      .rank = 1,
                      .members = 3,
                      .data = &data};
    if (status)
      status = Member::make(setup, member);
    EXPECT_TRUE(status) << status.message();
  }
  HandPrivate &memory() {
    return *static_cast<HandPrivate *>(member->address({RB_PRIVATE, 0}));
  }

  Points points;
  Unit unit;
  Dataset data;
  FakeEnvironment environment;
  std::unique_ptr<Member> member;
};

TEST(Member, StartsWithItsCells) {
  Solo solo(delayedUnit());
  EXPECT_EQ(solo.member->rank(), 1);
  EXPECT_EQ(solo.member->role().name, "worker");
  EXPECT_EQ(solo.memory().w[2], 0.5f);
  EXPECT_EQ(solo.memory().lr, 0.1f);
  EXPECT_TRUE(solo.member->set("budget", int64_t(1) << 60));
  EXPECT_TRUE(solo.member->set("base-lr", 0.5));
  EXPECT_EQ(solo.memory().budget, int64_t(1) << 60);
  EXPECT_EQ(solo.memory().lr, 0.5f);
  EXPECT_FALSE(solo.member->set("seen", int64_t(3))); // no setting
  EXPECT_FALSE(solo.member->set("speed", 1.0));
}

TEST(Member, RunsItsPartsInTheirRounds) {
  Solo solo(delayedUnit());
  solo.member->set("budget", int64_t(8));
  ASSERT_TRUE(solo.member->init());
  ASSERT_TRUE(solo.member->strand(0));
  EXPECT_EQ(solo.member->rounds(0), 3);
  EXPECT_EQ(solo.memory().seen, 8);
  ASSERT_TRUE(solo.member->drain());
  EXPECT_EQ(solo.memory().seen, 12);
  ASSERT_TRUE(solo.member->model());
  EXPECT_EQ(solo.memory().model[1], solo.memory().w[1]);
  const auto &calls = solo.environment.calls;
  std::vector<std::string> first(calls.begin(), calls.begin() + 9);
  EXPECT_EQ(first, (std::vector<std::string>{
                       "0:0 batch 0", "0:0 begin gradient", "0:0 end gradient",
                       calls[3], "0:0 repeated 1", "0:0 start 0 of 4",
                       "0:0 await 0", "0:0 next", "0:1 batch 0"}));
  EXPECT_NE(std::find(calls.begin(), calls.end(), "0:2 last"), calls.end());
  EXPECT_EQ(calls.back(), "1:-2 unlock 0");
}

TEST(Member, RunsARoundAgain) {
  // The second await of the second round fails once.
  struct Flaky : FakeEnvironment {
    int awaits = 0;
    Status await(const Caller &who, FutureHandle future, Parts outs) override {
      Status status = FakeEnvironment::await(who, future, outs);
      return ++awaits == 2 ? again("once more") : status;
    }
  } flaky;
  Unit unit;
  ASSERT_TRUE(loadUnit(delayedUnit(), unit));
  Points points;
  Dataset data = points.load(unit);
  std::unique_ptr<Member> member;
  ASSERT_TRUE(Member::make(
      {.unit = unit, .environment = flaky, .members = 1, .data = &data},
      member));
  member->set("budget", int64_t(8));
  ASSERT_TRUE(member->init());
  Status status = member->strand(0);
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(member->rounds(0), 3);
  EXPECT_EQ(flaky.awaits, 4);
  EXPECT_EQ(std::count(flaky.calls.begin(), flaky.calls.end(), "0:1 batch 0"),
            2);
  EXPECT_EQ(std::count(flaky.calls.begin(), flaky.calls.end(), "0:1 next"), 1);
}

TEST(Member, TellsWhereARoundFailed) {
  Solo solo(delayedUnit());
  solo.member->set("budget", int64_t(8));
  ASSERT_TRUE(solo.member->init());
  solo.environment.answer = {ErrorCode::Communication, "rank 2 is gone"};
  Status status = solo.member->strand(0);
  EXPECT_EQ(status.code(), ErrorCode::Communication);
  EXPECT_EQ(status.message(), "worker.round, round 0: rank 2 is gone");
  EXPECT_EQ(solo.member->rounds(0), 0);
  status = solo.member->drain();
  EXPECT_EQ(status.message(), "worker.drain: rank 2 is gone");
}

TEST(Member, EvaluatesRows) {
  Solo solo(delayedUnit());
  ASSERT_TRUE(solo.member->model());
  int64_t rows[] = {5, 30, 2};
  Member::Score score;
  ASSERT_TRUE(solo.member->evaluate(solo.data, rows, score));
  EXPECT_EQ(score.valid, 3);
  HandSum sum = {};
  for (int64_t row : rows)
    addSample(solo.memory().w, &solo.points.x[size_t(2 * row)],
              solo.points.y[size_t(row)], sum);
  EXPECT_DOUBLE_EQ(score.loss, sum.loss);
  EXPECT_FALSE(
      solo.member->evaluate(solo.data, std::vector<int64_t>{50}, score));
  EXPECT_FALSE(solo.member->evaluate(
      solo.data, std::vector<int64_t>{0, 1, 2, 3, 4}, score));
}

TEST(Member, LendsScratchAndWritesItsTimeline) {
  Unit unit;
  ASSERT_TRUE(loadUnit(gossipUnit(8), unit));
  Points points;
  Dataset data = points.load(unit);
  FakeEnvironment environment;
  environment.answers = {int64_t(-1), int64_t(0), false};
  HandScratch scratch = {};
  Timeline timeline(8, {"compute", "gossip"});
  std::unique_ptr<Member> member;
  ASSERT_TRUE(Member::make({.unit = unit,
                            .environment = environment,
                            .members = 1,
                            .data = &data,
                            .scratch = reinterpret_cast<char *>(&scratch),
                            .timeline = &timeline},
                           member));
  EXPECT_EQ(member->address({RB_SCRATCH, 0}), &scratch);
  ASSERT_TRUE(member->strand(1));
  EXPECT_EQ(environment.calls,
            (std::vector<std::string>{"1:0 ask 0 2 of 0", "1:0 last"}));
}

TEST(Member, HasARank) {
  Unit unit;
  ASSERT_TRUE(loadUnit(mailboxUnit(), unit));
  FakeEnvironment environment;
  std::unique_ptr<Member> member;
  auto make = [&](int rank, int members) {
    return Member::make({.unit = unit,
                         .environment = environment,
                         .rank = rank,
                         .members = members},
                        member);
  };
  ASSERT_TRUE(make(0, 3));
  EXPECT_EQ(member->role().name, "server");
  ASSERT_TRUE(make(2, 3));
  EXPECT_EQ(member->role().name, "worker");
  EXPECT_FALSE(make(3, 3));
  EXPECT_FALSE(make(-1, 3));
  // Without data a batch is an error, not a crash.
  ASSERT_TRUE(make(1, 2));
  environment.sent = {0};
  EXPECT_TRUE(member->init());
}

//===----------------------------------------------------------------------===//
// Synchronous rounds
//===----------------------------------------------------------------------===//

TEST(Synchronous, IsAProgramOfOneStrand) {
  Unit unit, program;
  ASSERT_TRUE(loadUnit(fakeUnit(), unit));
  ASSERT_TRUE(asProgram(unit, program));
  EXPECT_FALSE(isSynchronous(unit));
  EXPECT_TRUE(isSynchronous(program));
  ASSERT_EQ(program.program.roles.size(), 1u);
  EXPECT_TRUE(program.program.roles[0].strands[0].cursor);
  EXPECT_TRUE(program.program.roles[0].strands[0].lockstep);
  EXPECT_GE(program.program.channels[0].bytes, 3 * 4 + 3 * 8);
  EXPECT_EQ(program.parameters.offset, unit.cell("w")->place.offset);
  Unit twice;
  EXPECT_FALSE(asProgram(program, twice));
}

TEST(Synchronous, ReducesOnceInARound) {
  Solo solo(fakeUnit(), true);
  solo.member->set("budget", int64_t(10)); // two quanta of four: two rounds
  ASSERT_TRUE(solo.member->init());
  Status status = solo.member->strand(0);
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(solo.member->rounds(0), 2);
  const auto &calls = solo.environment.calls;
  ASSERT_EQ(calls.size(), 30u);
  EXPECT_EQ(std::vector<std::string>(calls.begin(), calls.begin() + 13),
            (std::vector<std::string>{
                "0:0 batch 0", "0:0 begin gradient", "0:0 end gradient",
                "0:0 repeated 1", "0:0 batch 0", "0:0 begin gradient",
                "0:0 end gradient", "0:0 start 0 of 4", "0:0 await 7",
                "0:0 lock 0 w seen", "0:0 unlock 0", "0:0 begin step",
                "0:0 end step"}));
  EXPECT_EQ(calls[13].rfind("0:0 computed 8 ", 0), 0u) << calls[13];
  EXPECT_EQ(calls[14], "0:0 next");
  EXPECT_EQ(calls[22], "0:1 start 0 of 4");
  EXPECT_EQ(calls[29], "0:1 last");
}

/// A round with two buckets: each has its collective and its event.
int32_t bucketRound(rb_ctx *ctx, int32_t *go) {
  auto *shared = static_cast<float *>(rb_regions(ctx)[RB_SHARED]);
  int32_t status = rb_work(ctx, "gradient", 1); // the whole round says it
  for (int32_t bucket = 0; bucket < 2 && status == RB_OK; ++bucket) {
    shared[bucket] = float(bucket + 1);
    rb_range in = {RB_SHARED, RB_F32, 4 * bucket, 1};
    rb_range out = {RB_RESULT, RB_F32, 4 * bucket, 1};
    rb_record(ctx, RB_COMPUTE, 2);
    rb_wait(ctx, RB_COMM, 2); // holds the other lane back, and nobody else
    status = rb_collective(ctx, RB_COMM, RB_ALL_REDUCE_SUM, 0, bucket, &in, 1,
                           &out, 1, bucket);
    rb_record(ctx, RB_COMM, bucket);
  }
  for (int32_t bucket = 0; bucket < 2 && status == RB_OK; ++bucket)
    status = rb_wait(ctx, RB_COMPUTE, bucket);
  *go = 0;
  return status;
}

TEST(Synchronous, GathersTheBucketsOfARound) {
  SampleUnit code(bucketRound);
  Unit unit, program;
  ASSERT_TRUE(loadUnit(code.code, unit));
  ASSERT_TRUE(asProgram(unit, program));
  FakeEnvironment environment;
  std::unique_ptr<Member> member;
  ASSERT_TRUE(Member::make(
      {.unit = program, .environment = environment, .members = 1}, member));
  Status status = member->strand(0);
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(environment.calls,
            (std::vector<std::string>{
                "0:0 start 0 of 2", "0:0 await 7", "0:0 lock 0 w w64 seen",
                "0:0 unlock 0", "0:0 begin step", "0:0 end step", "0:0 last"}));
  auto *sums = static_cast<float *>(member->address({RB_RESULT, 0}));
  EXPECT_EQ(sums[0], 1);
  EXPECT_EQ(sums[1], 2);
}

TEST(Synchronous, TellsAFailure) {
  Solo solo(fakeUnit(), true);
  struct Cut : FakeEnvironment {
    Status await(const Caller &, FutureHandle, Parts) override {
      return {ErrorCode::Communication, "rank 2 is gone"};
    }
  } cut;
  std::unique_ptr<Member> member;
  ASSERT_TRUE(Member::make(
      {.unit = solo.unit, .environment = cut, .members = 3, .data = &solo.data},
      member));
  Status status = member->strand(0);
  EXPECT_EQ(status.code(), ErrorCode::Communication);
  EXPECT_EQ(status.message(), "worker.round, round 0: rank 2 is gone");
}

} // namespace
