// Single calls of the real environment: clock, samples, votes, policies.
#include "program/course.h"

#include "data/permutation.h"

using namespace rubato;
using namespace rubato::test;

namespace {

TEST(RealEnvironment, TheClockStandsStillInAPause) {
  Course run(delayedUnit(), 1, 1);
  run.environment->pause();
  int64_t before = run.environment->nanoseconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(run.environment->nanoseconds(), before);
  run.environment->resume();
  EXPECT_LT(run.environment->nanoseconds() - before, 20'000'000);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GT(run.environment->nanoseconds(), before);
}

std::atomic<int64_t> standstill;

TEST(RealEnvironment, TimeInWhichOthersStandStillIsNoTraining) {
  Course::tune = [](RealSetup &setup) {
    setup.seconds = 0.01;
    setup.standstill = &standstill;
  };
  standstill = int64_t(3600) * 1'000'000'000;
  Course run(delayedUnit(), 1, 1);
  Course::tune = nullptr;
  std::this_thread::sleep_for(std::chrono::milliseconds(11));
  EXPECT_EQ(run.environment->stopRequested({0, 0, 0}), 0);
  standstill = 0;
  EXPECT_EQ(run.environment->stopRequested({0, 0, 0}), 1);
}

TEST(RealEnvironment, KeyedDrawsDependOnTheKeysAlone) {
  Course run(delayedUnit(), 2, 1);
  auto draw = [&](int rank, std::vector<int64_t> keys) {
    std::vector<int64_t> rows(4);
    int64_t count = 0;
    Course::check(run.environment->nextBatch(
        {rank, 0, 0}, {RB_BATCH_KEYED, -1, keys}, rows, count));
    EXPECT_EQ(count, 4);
    for (int64_t row : rows)
      EXPECT_TRUE(row >= 0 && row < 50);
    return rows;
  };
  EXPECT_EQ(draw(0, {3, 1}), draw(0, {3, 1}));
  EXPECT_NE(draw(0, {3, 1}), draw(0, {1, 3}));
  EXPECT_NE(draw(0, {3, 1}), draw(1, {3, 1}));
}

TEST(RealEnvironment, RangesAreRowsOfTheEpochs) {
  Course run(delayedUnit(), 1, 1);
  std::vector<int64_t> rows(4);
  int64_t count = 0;
  auto range = [&](int64_t from, int64_t to) {
    int64_t keys[] = {from, to};
    return run.environment->nextBatch({0, 0, 0}, {RB_BATCH_RANGE, -1, keys},
                                      rows, count);
  };
  ASSERT_TRUE(range(48, 51)); // over the end of an epoch
  EXPECT_EQ(count, 3);
  EXPECT_EQ(rows[1], Permutation(50, 0, 0)[49]);
  EXPECT_EQ(rows[2], Permutation(50, 0, 1)[0]);
  EXPECT_FALSE(range(0, 5)); // more than a quantum
  EXPECT_FALSE(range(-1, 2));
  ASSERT_TRUE(range(7, 7));
  EXPECT_EQ(count, 0);
}

TEST(RealEnvironment, TheWholeDataSetHasItsOwnOrder) {
  Course run(delayedUnit(), 1, 1); // 50 samples, in quanta of 4, shuffled
  std::vector<int64_t> rows(4);
  int64_t count = 0;
  auto whole = [&](int64_t number) {
    Course::check(run.environment->nextBatch(
        {0, 0, 0}, {RB_BATCH_WHOLE, -1, {&number, 1}}, rows, count));
    return std::vector<int64_t>(rows.begin(), rows.begin() + count);
  };
  EXPECT_EQ(run.environment->dataSamples({0, 0, 0}), 50);
  EXPECT_EQ(whole(3), (std::vector<int64_t>{12, 13, 14, 15}));
  EXPECT_EQ(whole(12), (std::vector<int64_t>{48, 49}));
  EXPECT_TRUE(whole(13).empty());
}

/// The first rows that the queue would give now.
std::vector<int64_t> peek(Course &course) {
  std::vector<int64_t> rows(4);
  int64_t count = 0;
  Course::check(course.environment->nextBatch(
      {0, 0, 0}, {RB_BATCH_PEEK, -1, {}}, rows, count));
  return rows;
}

TEST(RealEnvironment, LeasesReturnWithANewTicket) {
  Course course(mailboxUnit(), 2, 1);
  Environment &worker = *course.environment;
  Caller who{1, 0, 0};
  float model[3] = {1, 2, 3};
  int64_t version = 0, ticket = 0, go = 0, future = 0, count = 0;
  Part parts[] = {{RB_F32, 3, model},
                  {RB_I64, 1, &version},
                  {RB_I64, 1, &ticket},
                  {RB_I64, 1, &go}};
  auto granted = [&] {
    Granted ignored;
    Course::check(worker.pull(who, 0, ticket - 1, future));
    Course::check(course.fabric->grant(0, 0, true, 1000,
                                       std::span(parts).first(2), ignored));
    Course::check(worker.await(who, future, parts, -1));
  };
  std::vector<int64_t> rows(4), first = peek(course);
  auto take = [&] {
    Course::check(
        worker.nextBatch(who, {RB_BATCH_QUEUE, -1, {&ticket, 1}}, rows, count));
  };
  granted();
  EXPECT_EQ(ticket, 1);
  EXPECT_EQ(go, 1);
  take();
  EXPECT_EQ(rows, first);
  Course::check(worker.next(who, true)); // a lease outlives its round
  EXPECT_NE(peek(course), first);
  ++ticket; // asks for a newer one
  granted();
  EXPECT_EQ(peek(course), first);
  // What was pushed is consumed.
  take();
  EXPECT_EQ(rows, first);
  Course::check(worker.push(who, 0, ticket, std::span(parts).first(2)));
  ++ticket;
  granted();
  EXPECT_NE(peek(course), first);
}

TEST(RealEnvironment, ARoundThatRunsAgainReturnsItsSamples) {
  Course course(gossipUnit(100), 2, 1);
  Caller who{0, 1, 0};
  std::vector<int64_t> rows(4), first = peek(course);
  int64_t count = 0, future = 0;
  Course::check(course.environment->nextBatch(who, {RB_BATCH_QUEUE, -1, {}},
                                              rows, count));
  EXPECT_NE(peek(course), first);
  float values[3] = {};
  Part part{RB_F32, 3, values};
  course.fabric->lost(1);
  Course::check(
      course.environment->exchange(who, {0, 1, 5, {&part, 1}}, future));
  Status status = course.environment->await(who, future, {&part, 1}, -1);
  EXPECT_TRUE(isAgain(status)) << status.message();
  EXPECT_EQ(peek(course), first);
}

TEST(RealEnvironment, AVoteThatFailsGivesTheSamplesAgain) {
  Course course(delayedUnit(), 1, 1);
  Caller who{0, 0, 0};
  auto cursor = [&] {
    std::vector<int64_t> rows(4);
    int64_t count = 0;
    Course::check(course.environment->nextBatch(who, {RB_BATCH_CURSOR, -1, {}},
                                                rows, count));
    return rows;
  };
  EXPECT_EQ(course.environment->roundSamples(who), 4);
  std::vector<int64_t> first = cursor();
  bool ok = true;
  Course::check(course.environment->commit(who, 3, 4, ok));
  EXPECT_FALSE(ok);
  Course::check(course.environment->next(who, true));
  EXPECT_EQ(cursor(), first);
  Course::check(course.environment->commit(who, 4, 4, ok));
  EXPECT_TRUE(ok);
  Course::check(course.environment->next(who, true));
  EXPECT_NE(cursor(), first);
}

TEST(RealEnvironment, LocalPoliciesAreAskedHere) {
  nlohmann::json manifest = delayedManifest();
  manifest["program"]["policies"] = {
      {{"name", "ramp"},
       {"kind", "dynamic.ramp"},
       {"placement", "replicated"},
       {"askers", {"worker"}},
       {"settings", {{"rule", "immediate"}, {"base-members", 1}}},
       {"entries",
        {{{"name", "factor"},
          {"inputs", {"i64"}},
          {"outputs", {"f64", "i1"}}}}}}};
  HandUnit unit(manifest, delayedFunctions());
  Course course(unit.code, 2, 1);
  policy::Value members = int64_t(4), answers[2];
  for (int rank : {0, 1}) {
    Course::check(
        course.environment->ask({rank, 0, 0}, 0, 0, {&members, 1}, answers));
    EXPECT_EQ(std::get<double>(answers[0]), 4);
  }
  members = 1.5; // of the wrong type
  EXPECT_FALSE(
      course.environment->ask({0, 0, 0}, 0, 0, {&members, 1}, answers));
  // A policy is placed where its kind is.
  manifest["program"]["policies"][0]["placement"] = "local";
  HandUnit wrong(manifest, delayedFunctions());
  Unit loaded;
  Course::check(loadUnit(wrong.code, loaded));
  std::unique_ptr<MemberPolicies> policies;
  Status status = MemberPolicies::make(loaded.program, 2, 0, 0, 50, policies);
  EXPECT_EQ(status.code(), ErrorCode::Internal);
}

} // namespace
