// A member by itself: its memory, the order of its parts, rounds that are run
// again, and its model.
#include "common/fake_environment.h"
#include "common/hand_unit.h"
#include "common/points.h"

#include "program/member.h"
#include "telemetry/timeline.h"

#include <gtest/gtest.h>

using namespace rubato;
using namespace rubato::test;

namespace {

struct Solo {
  explicit Solo(const rb_unit &code) {
    Status status = loadUnit(code, unit);
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
    return *static_cast<HandPrivate *>(member->hostAddress({RB_PRIVATE, 0}));
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
    Status await(const Caller &who, FutureHandle future, Parts outs,
                 int64_t first) override {
      Status status = FakeEnvironment::await(who, future, outs, first);
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
  EXPECT_EQ(member->hostAddress({RB_SCRATCH, 0}), &scratch);
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

TEST(Member, RunsOneRound) {
  Solo solo(delayedUnit());
  solo.member->set("budget", int64_t(8));
  ASSERT_TRUE(solo.member->init());
  for (int64_t round = 0; round < 3; ++round) {
    bool go = round == 2;
    ASSERT_TRUE(solo.member->round(0, go));
    EXPECT_EQ(go, round < 2);
    EXPECT_EQ(solo.member->rounds(0), round + 1);
  }
  EXPECT_EQ(solo.environment.calls.back(), "0:2 last");
}

TEST(Member, ReducesOnceInASynchronousRound) {
  Solo solo(syncUnit());
  solo.member->set("budget", int64_t(10)); // two quanta of four: two rounds
  ASSERT_TRUE(solo.member->init());
  Status status = solo.member->strand(0);
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(solo.member->rounds(0), 2);
  EXPECT_EQ(solo.memory().seen, 16);
  const auto &calls = solo.environment.calls;
  ASSERT_EQ(calls.size(), 26u);
  EXPECT_EQ(std::vector<std::string>(calls.begin(), calls.begin() + 13),
            (std::vector<std::string>{
                "0:0 batch 0", "0:0 begin gradient", "0:0 end gradient",
                calls[3], "0:0 batch 0", "0:0 begin gradient",
                "0:0 end gradient", calls[7], "0:0 start 0 of 4", "0:0 await 7",
                "0:0 lock 0 w seen", "0:0 unlock 0", "0:0 next"}));
  EXPECT_EQ(calls[3].rfind("0:0 computed 4 ", 0), 0u) << calls[3];
  EXPECT_EQ(calls[21], "0:1 start 0 of 4");
  EXPECT_EQ(calls[25], "0:1 last");
}

TEST(Member, HasTheGradientOfRows) {
  Solo solo(delayedUnit());
  ASSERT_TRUE(solo.member->model());
  int64_t rows[] = {5, 30, 2};
  Member::Gradient gradient;
  ASSERT_TRUE(solo.member->gradient(solo.data, rows, gradient));
  HandSum sum = {};
  for (int64_t row : rows)
    addSample(solo.memory().w, &solo.points.x[size_t(2 * row)],
              solo.points.y[size_t(row)], sum);
  EXPECT_EQ(gradient.samples, 3);
  EXPECT_DOUBLE_EQ(gradient.loss, sum.loss);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(static_cast<const float *>(gradient.flat)[i], sum.g[i]);
  // Anew, or on top of it.
  ASSERT_TRUE(solo.member->gradient(solo.data, rows, gradient));
  EXPECT_EQ(gradient.samples, 3);
  int64_t more[] = {7, 8};
  ASSERT_TRUE(solo.member->gradient(solo.data, more, gradient, /*adds=*/true));
  for (int64_t row : more)
    addSample(solo.memory().w, &solo.points.x[size_t(2 * row)],
              solo.points.y[size_t(row)], sum);
  EXPECT_EQ(gradient.samples, 2);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(static_cast<const float *>(gradient.flat)[i], sum.g[i]);
  EXPECT_TRUE(solo.environment.calls.empty()); // nobody else is needed
  EXPECT_EQ(solo.member->rounds(0), 0);
  EXPECT_EQ(solo.memory().seen, 0);

  EXPECT_FALSE(
      solo.member->gradient(solo.data, std::vector<int64_t>{50}, gradient));
  EXPECT_FALSE(solo.member->gradient(
      solo.data, std::vector<int64_t>{0, 1, 2, 3, 4}, gradient));
}

TEST(Member, TellsThatAGradientFailed) {
  HandUnit code(delayedManifest(), delayedFunctions());
  code.code.gradient = [](rb_ctx *ctx) { return rb_unlock(ctx, 9); };
  Solo solo(code.code);
  Member::Gradient gradient;
  Status status =
      solo.member->gradient(solo.data, std::vector<int64_t>{1}, gradient);
  EXPECT_EQ(status.message().find("gradient: rank 1: there is no lock 9"), 0u)
      << status.message();
}

TEST(Member, RefusesMoreMemoryThanTheMachineHas) {
  for (const char *region : {"private", "scratch"}) {
    nlohmann::json manifest = delayedManifest();
    manifest["regions"][region] = int64_t(1) << 45;
    HandUnit code(manifest, delayedFunctions());
    Unit unit;
    ASSERT_TRUE(loadUnit(code.code, unit));
    FakeEnvironment environment;
    std::unique_ptr<Member> member;
    Status status = Member::make(
        {.unit = unit, .environment = environment, .members = 1}, member);
    EXPECT_NE(status.message().find("this machine has"), std::string::npos)
        << status.message();
  }
}

} // namespace
