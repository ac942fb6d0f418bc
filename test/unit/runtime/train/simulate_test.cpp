// ./train simulate, from the command line to its files, with units written by
// hand.
#include "common/fake_environment.h"
#include "simulate/model.h"
#include "train/program.h"

#include <gtest/gtest.h>

using namespace rubato;
using namespace rubato::test;
using nlohmann::json;

namespace {

/// A program with a table of costs beside its data.
struct Simulated : Program {
  explicit Simulated(const rb_unit &unit, const std::string &costs = "",
                     int64_t samples = 50)
      : Program(samples, unit) {
    folder.write("costs", costs);
  }

  Outcome simulate(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(),
                     {"simulate", "--cost", folder.file("costs"), "--input",
                      inputs, "--label", labels});
    return run(arguments);
  }
  Outcome observed(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(),
                     {"--eval-input", inputs, "--eval-label", labels,
                      "--metrics", folder.file("metrics")});
    return simulate(arguments);
  }
};

TEST(Simulate, RefusesWhatMakesNoSense) {
  Simulated program(delayedUnit());
  auto refused = [&](std::vector<std::string> arguments,
                     const std::string &why) {
    arguments.insert(arguments.begin(), "simulate");
    Outcome outcome = program.run(arguments);
    EXPECT_EQ(outcome.code, 2) << why;
    EXPECT_TRUE(has(outcome.err, why)) << outcome.err;
  };
  refused({}, "what is simulated?");
  refused({"c.toml", "--cost", "c"}, "give one");
  refused({"--cost", "c"}, "needs --workers");
  refused({"c.toml", "--observe", "1"}, "--eval-input");
  refused({"c.toml", "--observe", "-1"}, "--observe");
  refused({"c.toml", "--target", "1"}, "--observe SECONDS");
  refused({"c.toml", "--slow", "1:2"}, "is for real runs");
  refused({"c.toml", "--link", "1Gbit,2ms"}, "is for real runs");
  refused({"c.toml", "--affinity", "none"}, "is for real runs");
  refused({"c.toml", "--log"}, "--log needs a value");
  refused({"c.toml", "--rounds", "3", "--steps", "3"}, "give one");
  refused({"c.toml", "--workrs", "3"}, "did you mean --workers?");
  Outcome missing =
      program.run({"simulate", "--cost", "no-such", "--workers", "2", "--input",
                   program.inputs, "--label", program.labels});
  EXPECT_EQ(missing.code, 1);
  EXPECT_TRUE(has(missing.err, "no-such")) << missing.err;
  Outcome help = program.run({"simulate", "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_TRUE(has(help.out, "--observe SECONDS")) << help.out;
}

/// The parameters of a real run of threads and of a simulated one.
void expectSame(const rb_unit &unit, std::vector<std::string> arguments) {
  Simulated program(unit, "gradient = [1ms, 3ms, 2ms]");
  arguments.insert(arguments.end(), {"--workers", "3", "--dump-parameters"});
  arguments.push_back(program.folder.file("simulated"));
  Outcome simulated = program.simulate(arguments);
  ASSERT_EQ(simulated.code, 0) << simulated.err;
  arguments.back() = program.folder.file("real");
  arguments.insert(arguments.end(), {"--fabric", "threads"});
  Outcome real = program.train(arguments);
  ASSERT_EQ(real.code, 0) << real.err;
  ASSERT_FALSE(program.folder.read("real").empty());
  EXPECT_EQ(program.folder.read("simulated"), program.folder.read("real"));
}

TEST(Simulate, EndsWhereRealRunsDo) {
  expectSame(syncUnit(), {"--epochs", "3", "--global-batch", "24"});
  expectSame(delayedUnit(), {"--epochs", "3", "--seed", "5"});
}

TEST(Simulate, LookingOnChangesNothing) {
  Simulated program(gossipUnit(400), "gradient = [1ms, 2ms, 3ms]");
  std::vector<std::string> arguments = {"--workers",
                                        "3",
                                        "--dump-parameters",
                                        program.folder.file("p"),
                                        "--log",
                                        program.folder.file("log")};
  ASSERT_EQ(program.simulate(arguments).code, 0);
  std::string log = program.folder.read("log"), p = program.folder.read("p");
  ASSERT_FALSE(log.empty());
  arguments.insert(arguments.end(), {"--observe", "0.01"});
  Outcome outcome = program.observed(arguments);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(program.folder.read("log"), log);
  EXPECT_EQ(program.folder.read("p"), p);
  auto lines = linesOf(program.folder.read("metrics"));
  ASSERT_GT(lines.size(), 3u);
  EXPECT_EQ(lines[0]["t"], 0);
  EXPECT_EQ(lines[0]["seen"], 0);
  EXPECT_EQ(lines[0]["consensus"], 0);
  double apart = 0;
  for (size_t i = 1; i + 1 < lines.size(); ++i) {
    EXPECT_NEAR(lines[i]["t"].get<double>(), 0.01 * double(i), 1e-9);
    EXPECT_GE(lines[i]["seen"], lines[i - 1]["seen"]);
    EXPECT_GE(lines[i]["bytes"], lines[i - 1]["bytes"]);
    apart = std::max(apart, lines[i]["consensus"].get<double>());
  }
  EXPECT_GT(apart, 0);
  EXPECT_TRUE(lines.back()["summary"]);
  EXPECT_EQ(lines.back()["idle"].size(), 3u);
}

/// Members that average their parameters, without a run around them.
struct Averagers {
  Averagers(const Unit &unit, const std::vector<float> &values) {
    for (size_t i = 0; i != values.size(); ++i) {
      EXPECT_TRUE(Member::make({.unit = unit,
                                .environment = environment,
                                .rank = int(i),
                                .members = int(values.size())},
                               crew.emplace_back()));
      for (int at = 0; at < 3; ++at)
        memory(i).w[at] = values[i] + float(at);
    }
  }
  HandPrivate &memory(size_t rank) {
    return *static_cast<HandPrivate *>(
        crew[rank]->hostAddress({RB_PRIVATE, 0}));
  }

  FakeEnvironment environment;
  std::vector<std::unique_ptr<Member>> crew;
};

TEST(ModelObserver, SeesTheMeanAndLeavesMembersAlone) {
  Unit unit;
  ASSERT_TRUE(loadUnit(gossipUnit(100), unit));
  Points points;
  Dataset data = points.load(unit);
  std::vector<char> scratch(size_t(unit.regionBytes[RB_SCRATCH]) + 64);
  auto *aligned = reinterpret_cast<char *>(
      (reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64);
  auto look = [&](Averagers &members, EvalRecord &record, double &apart) {
    std::unique_ptr<ModelObserver> observer;
    ASSERT_TRUE(
        ModelObserver::make(unit, members.crew, 0, data, aligned, observer));
    for (int again = 0; again < 2; ++again) {
      record = {};
      Status status = observer->evaluate(record);
      ASSERT_TRUE(status) << status.message();
    }
    apart = observer->consensus();
  };
  Averagers three(unit, {1, 2, 6}), one(unit, {3});
  std::vector<HandPrivate> before;
  for (size_t i = 0; i < 3; ++i)
    before.push_back(three.memory(i));
  EvalRecord ofThree, ofOne;
  double apart = 0, together = 1;
  look(three, ofThree, apart);
  look(one, ofOne, together);
  EXPECT_EQ(ofThree.samples, 50);
  EXPECT_EQ(ofThree.loss, ofOne.loss);
  EXPECT_NEAR(apart, (4 + 1 + 9) / 3.0, 1e-12);
  EXPECT_EQ(together, 0);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(std::memcmp(&before[i], &three.memory(i), sizeof(HandPrivate)),
              0);
  EXPECT_TRUE(three.environment.calls.empty());
}

TEST(Simulate, EndsAtItsTarget) {
  Simulated program(delayedUnit(), "gradient = 10ms");
  std::vector<std::string> arguments = {"--workers", "2",   "--epochs", "200",
                                        "--observe", "0.1", "--target", "1000"};
  Outcome outcome = program.observed(arguments);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "target 1000 reached at 0 s\n")) << outcome.out;
  auto lines = linesOf(program.folder.read("metrics"));
  ASSERT_EQ(lines.size(), 4u); // three points of the grid, then the summary
  EXPECT_EQ(lines[3]["reached"], 0);
  arguments[3] = "2";
  arguments.back() = "1e-9";
  outcome = program.observed(arguments);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "target 1e-09 not reached\n")) << outcome.out;
  EXPECT_TRUE(
      linesOf(program.folder.read("metrics")).back()["reached"].is_null());
}

TEST(Simulate, StopsInVirtualTime) {
  Simulated program(delayedUnit(), "gradient = 1s");
  Outcome outcome = program.simulate(
      {"--workers", "2", "--time", "50", "--log", program.folder.file("log")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  auto lines = linesOf(program.folder.read("log"));
  ASSERT_FALSE(lines.empty());
  EXPECT_GE(lines.back()["t"], 50'000'000'000);
  EXPECT_LT(lines.back()["t"], 60'000'000'000);
}

TEST(Simulate, TellsOfServersAndWorkers) {
  Simulated program(mailboxUnit(), "gradient = [1ms, 1ms, 2ms, 3ms]");
  Outcome outcome = program.simulate({"--workers", "3", "--epochs", "5",
                                      "--report", program.folder.file("r")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_FALSE(has(outcome.err, "warning:")) << outcome.err;
  for (const char *row :
       {"virtual time", "rounds of server.round", "staleness", "restarts",
        "wasted work", "least-used worker", "effective batch", "idle  "})
    EXPECT_TRUE(has(outcome.out, row)) << row << "\n" << outcome.out;
  EXPECT_FALSE(has(outcome.out, "consensus"));
  EXPECT_FALSE(has(outcome.out, "rank 0 ")) << outcome.out; // the server
  std::string page = program.folder.read("r");
  EXPECT_TRUE(has(page, "Accepted uploads by their staleness"));
  EXPECT_TRUE(has(page, "inside a gradient"));
  EXPECT_FALSE(has(page, "<script"));
  EXPECT_FALSE(has(page, "src="));
  EXPECT_FALSE(has(page, "href="));
}

TEST(Simulate, SaysWhenTheLossIsNotFinite) {
  Simulated program(delayedUnit());
  Outcome outcome =
      program.simulate({"--workers", "2", "--epochs", "200", "--lr", "1e30"});
  EXPECT_EQ(outcome.code, 5) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "the loss is not finite")) << outcome.err;
}

} // namespace
