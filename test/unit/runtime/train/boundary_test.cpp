// Evaluations in the middle of a run of a program.
#include "train/program.h"

#include <gtest/gtest.h>

using namespace rubato;
using namespace rubato::test;
using nlohmann::json;

namespace {

/// The lines of metrics that are evaluations.
std::vector<json> evaluations(const Program &program) {
  std::vector<json> lines = linesOf(program.folder.read("m.jsonl"));
  std::erase_if(lines, [](const json &line) { return !line.contains("eval"); });
  return lines;
}

std::vector<json> train(const Program &program,
                        std::vector<std::string> arguments) {
  arguments.insert(arguments.end(),
                   {"--eval-input", program.inputs, "--eval-label",
                    program.labels, "--metrics", program.folder.file("m.jsonl"),
                    "--dump-parameters", program.folder.file("p")});
  Outcome outcome = program.train(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return evaluations(program);
}

/// The models after an epoch, evaluated together, are those of a run of one
/// epoch; whoever runs where.
TEST(Boundary, EvaluatesWhatShorterRunsEndWith) {
  Program program;
  std::vector<json> alone;
  for (const char *workers : {"1", "3"}) {
    auto run = [&](const char *epochs, std::vector<std::string> more) {
      more.insert(more.end(), {"--workers", workers, "--global-batch", "24",
                               "--epochs", epochs});
      return train(program, more);
    };
    std::vector<json> expected;
    for (const char *epochs : {"1", "2", "3", "4"})
      expected.push_back(run(epochs, {"--eval-every", "0"}).back());
    std::vector<std::vector<std::string>> fabrics = {
        {}, {"--fabric", "threads"}, {"--fabric", "processes"}};
    for (const auto &fabric : fabrics) {
      std::vector<json> got = run("4", fabric);
      ASSERT_EQ(got.size(), 4u);
      for (size_t i = 0; i != 4; ++i) {
        EXPECT_EQ(got[i]["epoch"], i + 1);
        EXPECT_EQ(got[i]["samples"], 50);
        EXPECT_EQ(got[i]["round"], 3 * (i + 1)); // 24, 24, 2
        EXPECT_EQ(got[i]["loss"], expected[i]["loss"]);
        EXPECT_EQ(got[i]["correct"], expected[i]["correct"]);
      }
      if (alone.empty())
        alone = got;
      for (size_t i = 0; i != 4; ++i)
        EXPECT_NEAR(got[i]["loss"], alone[i]["loss"], 1e-5);
    }
  }
}

/// A server's model after an epoch is that of a run of one epoch.
TEST(Boundary, AServerEvaluatesAlone) {
  Program program(50, mailboxUnit());
  std::vector<json> ends;
  for (const char *epochs : {"1", "2", "3"})
    ends.push_back(train(program, {"--workers", "3", "--epochs", epochs,
                                   "--eval-every", "0"})
                       .back());
  for (const char *fabric : {"threads", "processes"}) {
    std::vector<json> got =
        train(program, {"--workers", "3", "--epochs", "3", "--fabric", fabric});
    ASSERT_EQ(got.size(), 3u);
    for (size_t i = 0; i != 3; ++i) {
      EXPECT_EQ(got[i]["loss"], ends[i]["loss"]);
      EXPECT_EQ(got[i]["correct"], ends[i]["correct"]);
    }
  }
}

TEST(Boundary, ChangesNothing) {
  for (const rb_unit *unit : {&delayedUnit(), &mailboxUnit()}) {
    Program program(50, *unit);
    for (const char *every : {"0", "1", "2"}) {
      std::vector<json> lines = train(
          program, {"--workers", "3", "--epochs", "6", "--eval-every", every});
      EXPECT_EQ(lines.size(), every[0] == '0' ? 1u : every[0] == '1' ? 6u : 3u);
      static std::string first;
      if (every[0] == '0')
        first = program.folder.read("p");
      ASSERT_FALSE(first.empty());
      EXPECT_EQ(program.folder.read("p"), first);
    }
  }
}

/// Whoever computes through a carried reduction goes on. How many epochs a
/// round takes is a matter of chance.
TEST(Boundary, MembersThatPollGoOn) {
  for (const char *fabric : {"threads", "processes"}) {
    Program program(50, delayedUnit(1));
    std::vector<json> lines =
        train(program, {"--workers", "3", "--epochs", "40", "--slow", "1:5",
                        "--fabric", fabric});
    ASSERT_GE(lines.size(), 1u);
    for (size_t i = 1; i != lines.size(); ++i)
      EXPECT_GE(lines[i]["epoch"], lines[i - 1]["epoch"]);
  }
}

/// Rounds of 16 samples or more, epochs of 4: an evaluation must not touch what
/// the one before left, whatever their epochs are.
TEST(Boundary, RoundsMaySkipEpochs) {
  Program program(4, delayedUnit(1));
  std::vector<json> lines = train(
      program, {"--workers", "4", "--epochs", "100", "--fabric", "threads"});
  ASSERT_GE(lines.size(), 2u);
  for (size_t i = 1; i + 1 < lines.size(); ++i)
    EXPECT_GE(lines[i]["epoch"], lines[i - 1]["epoch"].get<int64_t>() + 4);
  for (const json &line : lines)
    EXPECT_EQ(line["samples"], 4);
}

TEST(Boundary, ARecordedRunReplays) {
  for (const rb_unit *unit :
       {&delayedUnit(0), &delayedUnit(1), &mailboxUnit()}) {
    Program program(50, *unit);
    std::string log = program.folder.file("run.log");
    std::vector<json> lines =
        train(program, {"--workers", "3", "--epochs", "8", "--slow", "1:3",
                        "--record", log});
    if (unit != &delayedUnit(1))
      EXPECT_EQ(lines.size(), 8u);
    std::string recorded = program.folder.read("p");
    Outcome again = program.run(
        {"replay", log, "--dump-parameters", program.folder.file("again")});
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(program.folder.read("again"), recorded);
  }
}

/// A model that asks something, as one with a reduction does.
int32_t askingModel(rb_ctx *ctx, int32_t *) {
  HandPrivate &p = handPrivate(ctx);
  if (rb_now(ctx) >= 0)
    std::memcpy(p.model, p.w, sizeof p.w);
  return RB_OK;
}

TEST(Boundary, WhatAModelAsksIsRecordedInTheEndOnly) {
  std::vector<rb_function> functions = delayedFunctions();
  functions[3].fn = askingModel;
  HandUnit unit(delayedManifest(), functions);
  Program program(50, unit.code);
  std::string log = program.folder.file("run.log");
  EXPECT_EQ(train(program, {"--workers", "2", "--epochs", "3", "--record", log})
                .size(),
            3u);
  Outcome again = program.run({"replay", log});
  EXPECT_EQ(again.code, 0) << again.err;
}

/// Where the next function writes.
std::string clockFile;

/// Takes its time, and notes how far the clock went.
int32_t slowModel(rb_ctx *ctx, int32_t *) {
  double before = rb_now(ctx);
  usleep(2000);
  std::FILE *file = std::fopen(clockFile.c_str(), "a");
  std::fputs(rb_now(ctx) == before ? "stands\n" : "goes\n", file);
  std::fclose(file);
  return RB_OK;
}

TEST(Boundary, TheClockStandsStill) {
  std::vector<rb_function> functions = delayedFunctions();
  functions[3].fn = slowModel;
  HandUnit unit(delayedManifest(), functions);
  Program program(50, unit.code);
  clockFile = program.folder.file("clock");
  EXPECT_EQ(train(program, {"--epochs", "3", "--fabric", "threads"}).size(),
            3u);
  // In the end there is no training to be stopped.
  EXPECT_EQ(program.folder.read("clock"), "stands\nstands\ngoes\n");
}

/// Takes 13 batches of this.
int32_t slowEvaluation(rb_ctx *ctx) {
  usleep(40'000);
  return mailboxUnit().evaluate(ctx);
}

/// Workers wait for the next model meanwhile; nobody is stuck.
TEST(Boundary, MayTakeLongerThanTheDeadline) {
  rb_unit unit = mailboxUnit();
  unit.evaluate = slowEvaluation;
  Program program(50, unit);
  for (const char *fabric : {"threads", "processes"})
    EXPECT_EQ(train(program, {"--workers", "3", "--epochs", "2", "--deadline",
                              "0.2", "--fabric", fabric})
                  .size(),
              2u);
}

TEST(Boundary, SaysWhereItCannot) {
  Program program(50, gossipUnit(500));
  std::vector<std::string> arguments = {"--workers",    "2",
                                        "--epochs",     "10",
                                        "--eval-input", program.inputs,
                                        "--eval-label", program.labels};
  EXPECT_EQ(program.train(arguments).err, "");
  arguments.insert(arguments.end(), {"--eval-every", "2"});
  Outcome outcome = program.train(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("warning: --eval-every: members of this algorithm "
                             "have no rounds in common"),
            outcome.err.npos)
      << outcome.err;
}

} // namespace
