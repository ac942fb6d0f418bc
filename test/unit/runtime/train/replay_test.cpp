// Recorded runs of whole programs, and the same runs again: command line, files
// and complaints.
#include "program/run_events.h"
#include "program/run_log.h"
#include "train/program.h"

#include <gtest/gtest.h>

using namespace rubato;
using namespace rubato::test;
using nlohmann::json;

namespace {

/// A program, its log, and what was in its files.
struct Recorded {
  explicit Recorded(const rb_unit &unit,
                    std::vector<std::string> arguments = {})
      : program(50, unit) {
    arguments.insert(arguments.end(),
                     {"--workers", "3", "--epochs", "4", "--slow", "1:3",
                      "--record", log, "--save", file("run.onnx"),
                      "--dump-parameters", file("run%r")});
    outcome = program.train(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }

  std::string file(const std::string &name) const {
    return program.folder.file(name);
  }
  Outcome replay(std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), {"replay", log});
    return program.run(arguments);
  }
  /// Replays, and compares all files.
  void expectSame() const {
    Outcome again = replay(
        {"--save", file("again.onnx"), "--dump-parameters", file("again%r")});
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_TRUE(has(again.out, "all as recorded")) << again.out;
    EXPECT_FALSE(program.folder.read("run.onnx").empty());
    for (std::string each : {".onnx", "0", "1", "2", "3"})
      EXPECT_EQ(program.folder.read("again" + each),
                program.folder.read("run" + each))
          << each;
  }
  /// The log with another content.
  void rewrite(const std::function<void(RunLog &)> &change) const {
    RunLog read;
    ASSERT_TRUE(readRunLog(log, read));
    change(read);
    ASSERT_TRUE(writeRunLog(log, read));
  }

  Program program;
  std::string log = program.folder.file("run.log");
  Outcome outcome;
};

TEST(Replay, OfAllKindsOfPrograms) {
  for (const rb_unit *unit :
       {&delayedUnit(1), &gossipUnit(400), &mailboxUnit(), &syncUnit()})
    Recorded(*unit).expectSame();
}

TEST(Replay, OfThreads) {
  Recorded(gossipUnit(400), {"--fabric", "threads"}).expectSame();
}

TEST(Replay, LeavesNoPartsBehind) {
  Recorded run(gossipUnit(400));
  for (const auto &each :
       std::filesystem::directory_iterator(run.program.folder.path))
    EXPECT_FALSE(has(each.path(), ".part-")) << each.path();
}

TEST(Replay, TheLogSaysWhatWasRun) {
  Recorded run(delayedUnit(1), {"--seed", "5", "--lr", "0.125"});
  RunLog log;
  ASSERT_TRUE(readRunLog(run.log, log));
  json header = json::parse(log.header);
  EXPECT_EQ(header["run"]["workers"], 3);
  EXPECT_EQ(header["run"]["seed"], 5);
  EXPECT_EQ(header["run"]["lr"], 0.125);
  EXPECT_EQ(header["run"]["slow"]["1"], 3);
  EXPECT_EQ(header["data"][0]["file"], run.program.inputs);
  EXPECT_EQ(header["data"][0]["samples"], 50);
  EXPECT_EQ(header["code"], 0);
  run.expectSame();
}

TEST(Replay, TransformsAreRecorded) {
  Recorded run(delayedUnit(1),
               {"--scale", "x=0.5", "--mean", "x=0.1", "--std", "x=3"});
  run.expectSame();
  EXPECT_EQ(
      run.replay({"--scale", "x=0.5", "--mean", "x=0.1", "--std", "x=3"}).code,
      0);
  Outcome other = run.replay({"--scale", "x=0.25"});
  EXPECT_EQ(other.code, 1);
  EXPECT_TRUE(has(other.err, "--scale, --mean and --std are not those of the "
                             "recorded run"))
      << other.err;
}

TEST(Replay, WantsTheSameData) {
  Recorded run(delayedUnit(1));
  std::string bytes = run.program.folder.read("x.npy");
  std::string copy = run.program.folder.write("copy.npy", bytes);
  EXPECT_EQ(run.replay({"--input", "x=" + copy}).code, 0);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  std::string other = run.program.folder.write("other.npy", bytes);
  Outcome outcome = run.replay({"--input", "x=" + other});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(outcome.err, "is not what the run was trained on"))
      << outcome.err;
}

TEST(Replay, WantsTheSameUnit) {
  Recorded run(delayedUnit(1));
  Program other(50, gossipUnit(400));
  Outcome outcome = other.run({"replay", run.log});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(outcome.err, "was recorded by another executable"))
      << outcome.err;
}

TEST(Replay, WantsTheSameCode) {
  Recorded run(delayedUnit(1));
  run.rewrite([](RunLog &log) {
    json header = json::parse(log.header);
    header["executable"] = "0123456789abcdef";
    log.header = header.dump();
  });
  Outcome outcome = run.replay();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(outcome.err, "another executable of the same model"))
      << outcome.err;
}

TEST(Replay, OfARunThatFailed) {
  Program program(50, delayedUnit());
  std::string log = program.folder.file("run.log");
  Outcome run = program.train(
      {"--workers", "2", "--lr", "1e30", "--epochs", "9", "--record", log});
  EXPECT_EQ(run.code, 5) << run.err;
  Outcome again = program.run({"replay", log});
  EXPECT_EQ(again.code, 1);
  EXPECT_TRUE(has(again.err, "did not end well (exit code 5)")) << again.err;
}

TEST(Replay, ALogThatTellsAnotherStory) {
  Recorded run(delayedUnit(1));
  // Another row in the first batch, which every run has: all is well but the
  // values.
  run.rewrite([](RunLog &log) {
    static std::string changed;
    changed.clear();
    std::string_view rest = log.streams[0].events;
    RunEvent event;
    for (int batches = 0; readEvent(rest, event);) {
      if (event.operation == Call::NextBatch && ++batches == 1)
        event.answered[0] = (event.answered[0] + 1) % 50;
      writeEvent(event.operation, event.asked, event.answered, changed);
    }
    log.streams[0].events = changed;
  });
  Outcome outcome = run.replay({"--save", run.file("no.onnx")});
  EXPECT_EQ(outcome.code, 70);
  EXPECT_TRUE(has(outcome.err, "the replay left the recorded course: await "
                               "brings other values"))
      << outcome.err;
  EXPECT_EQ(run.program.folder.read("no.onnx"), "");
}

TEST(Replay, ALogWithoutItsEnd) {
  Recorded run(mailboxUnit());
  run.rewrite([](RunLog &log) {
    std::string_view &events = log.streams[0].events;
    std::string_view rest = events;
    RunEvent event;
    for (int i = 0; i < 20; ++i)
      ASSERT_TRUE(readEvent(rest, event));
    events = events.substr(0, events.size() - rest.size());
  });
  Outcome outcome = run.replay();
  EXPECT_EQ(outcome.code, 70);
  EXPECT_TRUE(has(outcome.err, "rank 0, server.")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "the log has ended, but the program asks for"))
      << outcome.err;
}

TEST(Replay, Evaluates) {
  Recorded run(delayedUnit(1));
  Outcome outcome = run.replay({"--eval-input", "x=" + run.program.inputs,
                                "--eval-label", "y=" + run.program.labels});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, " of 50)")) << outcome.out;
}

TEST(Replay, OptionsOfTheRunAreTheLogs) {
  Program program(50, delayedUnit());
  Outcome workers = program.run({"replay", "run.log", "--workers", "3"});
  EXPECT_EQ(workers.code, 2);
  EXPECT_TRUE(has(workers.err, "--workers: a replay takes this from the log"));
  Outcome nothing = program.run({"replay"});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_TRUE(has(nothing.err, "replay needs the log of a run"));
  Outcome missing = program.run({"replay", program.folder.file("none.log")});
  EXPECT_EQ(missing.code, 1);
  EXPECT_TRUE(has(missing.err, "No such file")) << missing.err;
  EXPECT_TRUE(has(program.run({"replay", "--help"}).out, "replay FILE.log"));
  Outcome both = program.train({"--record", program.folder.file("a.log"),
                                "--dump-gradients", program.folder.file("g")});
  EXPECT_EQ(both.code, 2);
  Outcome nowhere =
      program.train({"--record", program.folder.file("none/a.log")});
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_TRUE(has(nowhere.err, "cannot write into")) << nowhere.err;
}

} // namespace
