// ./train of units with a program, from the command line to the files.
#include "train/program.h"

#include <gtest/gtest.h>

using namespace rubato;
using namespace rubato::test;
using nlohmann::json;

namespace {

/// Trains, and gives the parameters that rank `rank` dumped.
std::string parameters(const Program &program, const std::string &fabric,
                       std::vector<std::string> arguments, int rank = 0) {
  arguments.insert(arguments.end(), {"--dump-parameters",
                                     program.folder.file(fabric + "%r.st")});
  if (!fabric.empty())
    arguments.insert(arguments.end(), {"--fabric", fabric});
  Outcome outcome = program.train(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return program.folder.read(fabric + std::to_string(rank) + ".st");
}

TEST(TrainProgram, ProcessesAreThreads) {
  Program program(50, delayedUnit());
  for (const char *workers : {"1", "3"}) {
    std::vector<std::string> arguments = {"--workers", workers, "--epochs",
                                          "3"};
    std::string threads = parameters(program, "threads", arguments);
    ASSERT_FALSE(threads.empty());
    EXPECT_EQ(parameters(program, "processes", arguments), threads);
    if (workers[0] == '3')
      EXPECT_EQ(program.folder.read("processes2.st"), threads);
  }
}

/// The only member without a fabric runs in the launcher itself.
TEST(TrainProgram, OneMemberIsTheSameWithoutAFabric) {
  for (const rb_unit *unit : {&syncUnit(), &delayedUnit(), &delayedUnit(1)}) {
    Program program(50, *unit);
    std::vector<std::string> arguments = {"--epochs", "2"};
    std::string alone = parameters(program, "", arguments);
    ASSERT_FALSE(alone.empty());
    EXPECT_EQ(parameters(program, "threads", arguments), alone);
    EXPECT_EQ(parameters(program, "processes", arguments), alone);
  }
}

TEST(TrainProgram, DumpsTheGradientOfEveryAlgorithm) {
  std::string first;
  for (const rb_unit *unit :
       {&syncUnit(), &delayedUnit(1), &gossipUnit(100), &mailboxUnit()}) {
    Program program(50, *unit);
    Outcome outcome = program.train(
        {"--workers", "3", "--dump-gradients", program.folder.file("g"),
         "--dump-parameters", program.folder.file("p")});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::string gradient = program.folder.read("g");
    if (first.empty())
      first = gradient;
    ASSERT_FALSE(gradient.empty());
    EXPECT_EQ(gradient, first);
    EXPECT_FALSE(program.folder.read("p").empty());
  }
}

TEST(TrainProgram, PrintsTheScheduleOfARound) {
  auto trace = [](const rb_unit &unit, std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--device", "trace"});
    return Program(50, unit).run(arguments);
  };
  const std::string sum = " 3 f32 1 i64 1 f64 1 i64\n";
  Outcome sync = trace(syncUnit(), {"--workers", "3", "--global-batch", "24"});
  EXPECT_EQ(sync.code, 0) << sync.err;
  EXPECT_EQ(sync.out, "batch\nbatch\nall_reduce @grads" + sum + "await" + sum);
  for (int64_t mode : {0, 1}) {
    Outcome delayed = trace(delayedUnit(mode), {});
    EXPECT_EQ(delayed.code, 0) << delayed.err;
    EXPECT_EQ(delayed.out, "batch\nall_reduce @grads" + sum + "await" + sum);
  }
  for (const rb_unit *unit : {&gossipUnit(100), &mailboxUnit()}) {
    Outcome refused = trace(*unit, {});
    EXPECT_NE(refused.code, 0);
    EXPECT_TRUE(has(refused.err, "prints a round of members that only reduce"))
        << refused.err;
  }
}

TEST(TrainProgram, AServerHasTheModel) {
  Program program(50, mailboxUnit());
  std::vector<std::string> arguments = {
      "--workers",    "3",
      "--epochs",     "5",
      "--eval-input", program.inputs,
      "--eval-label", program.labels,
      "--save",       program.folder.file("m.onnx")};
  std::string threads = parameters(program, "threads", arguments);
  ASSERT_FALSE(threads.empty());
  arguments.insert(arguments.end(),
                   {"--metrics", program.folder.file("m.jsonl")});
  EXPECT_EQ(parameters(program, "processes", arguments), threads);
  EXPECT_EQ(program.folder.read("processes1.st"), "");
  std::string out = program.folder.read("out");
  EXPECT_TRUE(has(out, "rounds of server.round  11")) << out;
  EXPECT_TRUE(has(out, "rounds of worker.round  12")) << out;
  EXPECT_TRUE(has(out, " by 4 members")) << out;
  EXPECT_FALSE(has(out, "rank 0 ")) << out; // computes nothing
  EXPECT_TRUE(has(out, "rank 3 ")) << out;
  EXPECT_TRUE(has(out, " of 50)")) << out;
  std::string model = program.folder.read("m.onnx");
  EXPECT_EQ(model.size(), std::strlen(handTemplate));
  EXPECT_EQ(model.substr(5, 8), threads.substr(threads.size() - 12, 8));
  std::vector<json> lines = linesOf(program.folder.read("m.jsonl"));
  ASSERT_GE(lines.size(), 3u);
  EXPECT_TRUE(lines[lines.size() - 2].contains("eval"));
  EXPECT_EQ(lines[lines.size() - 2]["samples"], 50);
  // Nobody is late here, and nothing is cut short.
  EXPECT_EQ(lines.back()["summary"], true);
  EXPECT_EQ(lines.back()["seen"], 264);
  EXPECT_EQ(lines.back()["wasted"], 0);
  EXPECT_TRUE(has(out, "wasted work             0.0 % of the samples")) << out;
  EXPECT_EQ(lines.back()["staleness"]["0"], 33);
  EXPECT_TRUE(lines.back()["idle"][0].is_null());
  EXPECT_TRUE(lines.back()["idle"][3].is_number());
  EXPECT_FALSE(lines.back().contains("consensus"));
  int64_t samples = 0;
  for (size_t i = 0; i + 2 < lines.size(); ++i) {
    if (lines[i].contains("eval"))
      continue;
    samples += lines[i]["samples"].get<int64_t>();
    EXPECT_EQ(lines[i]["seen"], samples);
    EXPECT_GE(lines[i]["loss"], 0);
  }
  EXPECT_EQ(samples, 264);
}

TEST(TrainProgram, MembersGossip) {
  for (const char *fabric : {"threads", "processes"})
    for (const char *workers : {"1", "3"}) {
      Program program(50, gossipUnit(500));
      std::string first =
          parameters(program, fabric,
                     {"--workers", workers, "--epochs", "10", "--eval-input",
                      program.inputs, "--eval-label", program.labels});
      ASSERT_FALSE(first.empty());
      std::string out = program.folder.read("out");
      EXPECT_TRUE(has(out, "rounds of worker.gossip")) << out;
      EXPECT_TRUE(has(out, "accuracy")) << out;
      if (workers[0] == '3') {
        // All have the average, though each its own count of samples.
        std::string last = program.folder.read(std::string(fabric) + "2.st");
        EXPECT_EQ(last.substr(last.size() - 12),
                  first.substr(first.size() - 12));
      }
    }
}

TEST(TrainProgram, StopsByTimeAndBySteps) {
  Program program(50, delayedUnit(1));
  Outcome time = program.train({"--workers", "2", "--time", "0.2"});
  EXPECT_EQ(time.code, 0) << time.err;
  size_t at = time.out.find("\ntime ");
  ASSERT_NE(at, time.out.npos) << time.out;
  double seconds = 0;
  EXPECT_EQ(std::sscanf(time.out.c_str() + at, " time %lf", &seconds), 1);
  EXPECT_GE(seconds, 0.2);
  Outcome steps = program.train({"--workers", "2", "--steps", "7"});
  EXPECT_EQ(steps.code, 0) << steps.err;
  EXPECT_TRUE(has(steps.out, "rounds of worker.round  8\n")) << steps.out;
}

TEST(TrainProgram, TellsIdleTimeOfSlowMembers) {
  Program program(50, delayedUnit());
  Outcome outcome =
      program.train({"--workers", "2", "--epochs", "8", "--slow", "1:1000"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  size_t at = outcome.out.find("idle");
  ASSERT_NE(at, outcome.out.npos) << outcome.out;
  double first = 0, second = 0;
  ASSERT_EQ(std::sscanf(outcome.out.c_str() + at,
                        "idle rank 0 %lf %%, rank 1 %lf %%", &first, &second),
            2)
      << outcome.out;
  EXPECT_GT(first, second);
}

TEST(TrainProgram, WritesATimeline) {
  Program program(50, delayedUnit());
  for (const char *workers : {"1", "2"}) {
    Outcome outcome = program.train(
        {"--workers", workers, "--timeline", program.folder.file("t.json")});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    json trace = json::parse(program.folder.read("t.json"));
    EXPECT_TRUE(trace["traceEvents"].is_array());
    EXPECT_TRUE(has(trace.dump(), "\"round\""));
  }
  EXPECT_FALSE(std::filesystem::exists(program.folder.file("t.json.rank0")));
}

TEST(TrainProgram, PrintsItsConfiguration) {
  Program program(50, mailboxUnit());
  Outcome outcome = program.train({"--print-config", "--slow", "1:2"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  json config = json::parse(outcome.out);
  EXPECT_EQ(config["compiled"]["roles"][0]["name"], "server");
  EXPECT_EQ(config["compiled"]["roles"][0]["members"], 1);
  EXPECT_EQ(config["compiled"]["roles"][1]["members"], "workers");
  EXPECT_EQ(config["run"]["slow"]["1"], 2);
  EXPECT_EQ(config["run"]["budget"], 50);
}

TEST(TrainProgram, RefusesWhatDoesNotFit) {
  Program program(50, delayedUnit(1));
  auto refuses = [&](std::vector<std::string> arguments, int code,
                     const char *message) {
    Outcome outcome = program.train(arguments);
    EXPECT_EQ(outcome.code, code);
    EXPECT_TRUE(has(outcome.err, message)) << outcome.err;
  };
  refuses({"--global-batch", "8"}, 2, "take micro-batches one by one");
  refuses({"--slow", "1:2"}, 2, "there are members 0 to 0");
  refuses({"--slow", "0:0.5"}, 2, "must lie between 1 and 1000");
  refuses({"--slow", "3"}, 2, "is not RANK:FACTOR");
  refuses({"--slow", "0:2", "--slow", "0:3"}, 2, "rank 0 was given twice");
  refuses({"--fabric", "wire"}, 2, "there are threads, processes");
  refuses({"--time", "0"}, 2, "must be above 0");
  Program cursor(50, delayedUnit());
  Outcome large = cursor.train({"--workers", "20"});
  EXPECT_EQ(large.code, 1);
  EXPECT_TRUE(has(large.err, "the data set has 50")) << large.err;
}

} // namespace
