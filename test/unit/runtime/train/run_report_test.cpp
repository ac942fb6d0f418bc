// Rounds that members share, from what each tells to one line for each.
#include "launch/job.h"
#include "program/course.h"
#include "train/program.h"

using namespace rubato;
using namespace rubato::test;
using nlohmann::json;

namespace {

/// A run of two members of which only the numbers exist.
struct Told : testing::Test {
  Told() : course(syncUnit(), 2, 1), job(course.unit, options) {
    options.workers = 2;
    options.quiet = true;
    options.metrics = course.points.folder.file("m.jsonl");
    Course::check(castRoles(job));
    Course::check(
        makeThreadFabric(2, channelsOf(job.unit.program, 2), job.fabric));
    job.plan.samples = 50;
    job.plan.epochs = 1;
    job.plan.budget = 50;
    job.begin = std::chrono::steady_clock::now();
    job.shared = &shared;
    job.slots = slots;
    job.statistics = course.statistics.data();
    job.board = &board;
    job.rounds = rounds;
  }
  void tell(int rank, RoundShare share) {
    compute(rank, share);
    EXPECT_TRUE(rounds[rank].put(share));
  }
  /// As tell, without room to do so.
  void compute(int rank, RoundShare share) {
    MemberStatistics &its = course.statistics[size_t(rank)];
    its.samples += share.samples;
    its.loss.fetch_add(share.loss);
    its.rounds[0].store(share.round + 1);
  }
  /// The lines of rounds and evaluations, in short.
  std::vector<std::string> lines() {
    std::vector<std::string> result;
    for (const json &line : linesOf(course.points.folder.read("m.jsonl"))) {
      std::string round = std::to_string(line.value("round", int64_t(0)));
      if (line.contains("eval"))
        result.push_back("eval after " + round);
      else if (!line.contains("summary"))
        result.push_back(round + ": " + line["samples"].dump() + " " +
                         line["loss"].dump());
    }
    return result;
  }

  TrainOptions options;
  Course course;
  Job job;
  SharedState shared;
  WorkerSlot slots[2];
  EvalBoard board;
  RoundBoard rounds[2];
};

using Lines = std::vector<std::string>;

TEST_F(Told, ARoundIsToldOnceAllHaveToldIt) {
  RunReport report(job);
  ASSERT_TRUE(report.open());
  tell(0, {0, 4, 1});
  tell(0, {1, 4, 4});
  report.tick();
  tell(1, {0, 4, 3});
  report.tick();
  tell(1, {1, 4, 12});
  report.tick();
  tell(1, {2, 4, 4});
  report.tick(); // the other is not that far
  ASSERT_TRUE(report.finish());
  EXPECT_EQ(lines(), (Lines{"1: 8 0.5", "2: 8 2", "2: 4 1"}));
}

TEST_F(Told, WhatHadNoRoomIsToldInTheEnd) {
  RunReport report(job);
  ASSERT_TRUE(report.open());
  for (int rank : {0, 1}) {
    tell(rank, {0, 4, 4});
    compute(rank, {1, 4, 8});
    compute(rank, {2, 4, 8});
  }
  ASSERT_TRUE(report.finish());
  EXPECT_EQ(lines(), (Lines{"1: 8 1", "3: 16 2"}));
}

/// Whoever finds its board full tells several rounds together: so do all.
TEST_F(Told, RoundsThatOneToldTogetherAreOne) {
  RunReport report(job);
  ASSERT_TRUE(report.open());
  for (int64_t round = 0; round < 6; ++round)
    tell(0, {round, 4, 4});
  tell(1, {0, 4, 4});
  tell(1, {3, 12, 12}); // 1 to 3
  tell(1, {5, 8, 24});  // 4 and 5
  ASSERT_TRUE(report.finish());
  EXPECT_EQ(lines(), (Lines{"1: 8 1", "4: 24 1", "6: 16 2"}));
}

TEST_F(Told, BothMayTellTogether) {
  RunReport report(job);
  ASSERT_TRUE(report.open());
  tell(0, {1, 8, 8});   // 0 and 1
  tell(1, {2, 12, 12}); // 0 to 2
  report.tick();
  tell(0, {4, 12, 12}); // 2 to 4
  report.tick();
  tell(1, {3, 4, 4});
  report.tick();
  tell(1, {4, 4, 4});
  ASSERT_TRUE(report.finish());
  EXPECT_EQ(lines(), (Lines{"5: 40 1"}));
}

/// Members without common rounds are looked at now and then, and see more than
/// they should before they stop: an epoch has its samples all the same, and
/// what is past the last one is of none.
TEST_F(Told, SamplesPastTheBudgetAreOfNoEpoch) {
  options.quiet = false;
  job.rounds = nullptr;
  job.plan.epochs = 3;
  job.plan.budget = 150;
  testing::internal::CaptureStdout();
  RunReport report(job);
  ASSERT_TRUE(report.open());
  compute(0, {0, 30, 60});
  EvalRecord record; // makes it look
  record.epoch = 1;
  record.samples = 50;
  ASSERT_TRUE(board.put(record));
  report.tick();
  compute(0, {1, 60, 60});
  compute(1, {0, 110, 110});
  ASSERT_TRUE(report.finish());
  std::string told = testing::internal::GetCapturedStdout();
  std::vector<std::string> epochs;
  std::istringstream text(told);
  for (std::string line; std::getline(text, line);)
    if (line.starts_with("epoch") && line.find("evaluation") == line.npos)
      epochs.push_back(line.substr(0, line.find("  loss")));
  EXPECT_EQ(epochs,
            (Lines{"epoch 1/3  30/50 samples", "epoch 1/3  20/50 samples",
                   "epoch 2/3  50/50 samples", "epoch 3/3  50/50 samples"}))
      << told;
  EXPECT_NE(told.find("150 by 2 members (+50 past the budget)"), told.npos)
      << told;
  for (const json &line : linesOf(course.points.folder.read("m.jsonl")))
    if (line.contains("epoch"))
      EXPECT_LE(line["epoch"], 3);
}

/// Nor is the time that they took.
TEST(Progress, TimePastTheBudgetIsOfNoEpoch) {
  testing::internal::CaptureStdout();
  Progress progress(stdout, /*quiet=*/false, 2, 50, 100);
  RoundRecord record{.samples = 50, .seen = 50, .seconds = 1};
  progress.round(record);
  record = {.samples = 100, .seen = 150, .seconds = 5};
  progress.round(record);
  record = {.samples = 50, .seen = 200, .seconds = 9};
  progress.round(record);
  progress.epochEnd();
  std::string told = testing::internal::GetCapturedStdout();
  // 50 in a second, then 100 in four.
  EXPECT_NE(told.find("epoch 1/2  50/50 samples  loss 0.0000  50 samples/s"),
            told.npos)
      << told;
  EXPECT_NE(told.find("epoch 2/2  50/50 samples  loss 0.0000  25 samples/s"),
            told.npos)
      << told;
}

TEST_F(Told, AnEvaluationFollowsItsRound) {
  RunReport report(job);
  ASSERT_TRUE(report.open());
  for (int rank : {0, 1})
    for (int64_t round = 0; round < 4; ++round)
      tell(rank, {round, 4, 4});
  EvalRecord record;
  record.round = 2;
  record.epoch = 1;
  record.samples = 50;
  ASSERT_TRUE(board.put(record));
  ASSERT_TRUE(report.finish());
  EXPECT_EQ(lines(),
            (Lines{"1: 8 1", "2: 8 1", "eval after 2", "3: 8 1", "4: 8 1"}));
}

} // namespace
