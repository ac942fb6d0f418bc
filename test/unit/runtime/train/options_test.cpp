// The command line: what is accepted, what is refused and with which words.
#include "cli/options.h"
#include "train/program.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace rubato;
using namespace rubato::test;

namespace {

Status parse(std::vector<std::string> arguments, TrainOptions &options) {
  static Unit unit = [] {
    Unit made;
    made.quantum = 4;
    made.inputs.push_back({"x", RB_F32, {4, 2}, 0, 0});
    made.labels.push_back({"y", RB_I64, {4}, 0, 2});
    return made;
  }();
  std::vector<char *> argv = {const_cast<char *>("train")};
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  return parseOptions(unit, int(argv.size()), argv.data(), options);
}

void expectRefused(const std::vector<std::string> &arguments,
                   const std::string &part) {
  TrainOptions options;
  Status status = parse(arguments, options);
  ASSERT_FALSE(status) << part;
  EXPECT_EQ(status.code(), ErrorCode::Usage);
  EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
}

TEST(Options, AcceptsBothForms) {
  TrainOptions options;
  Status status =
      parse({"--input", "x=a.npy", "--label=b.npy", "--scale", "1/4",
             "--mean=x=1,2", "--std", "x=0.5", "--workers", "3", "--epochs=2",
             "--lr", "1e-3", "--seed", "18446744073709551615", "--no-shuffle",
             "--device", "trace", "--deadline=2.5"},
            options);
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(options.train.inputs.at("x"), "a.npy");
  EXPECT_EQ(options.train.labels.at("y"), "b.npy");
  EXPECT_EQ(options.train.transforms.at("x").scale, 0.25);
  EXPECT_EQ(options.eval.transforms.at("x").mean, (std::vector<double>{1, 2}));
  EXPECT_EQ(options.workers, 3);
  EXPECT_EQ(options.epochs, 2);
  EXPECT_EQ(options.lr, 1e-3);
  EXPECT_EQ(options.seed, UINT64_MAX);
  EXPECT_FALSE(options.shuffle);
  EXPECT_EQ(options.device, DeviceKind::Trace);
  EXPECT_EQ(options.deadline, 2.5);
}

TEST(Options, KernelsHaveOneThread) {
  TrainOptions options;
  EXPECT_TRUE(parse({"--threads", "1"}, options));
  Status status = parse({"--threads", "2"}, options);
  EXPECT_EQ(status.code(), ErrorCode::Unsupported);
  EXPECT_NE(status.message().find("kernels are not split yet"),
            std::string::npos)
      << status.message();
  expectRefused({"--threads", "0"}, "is not a whole number from 1");
}

TEST(Options, MembersHaveCoresOrNot) {
  TrainOptions options;
  EXPECT_TRUE(options.affinity);
  EXPECT_TRUE(parse({"--affinity", "none"}, options));
  EXPECT_FALSE(options.affinity);
  EXPECT_TRUE(parse({"--affinity", "auto"}, options));
  EXPECT_TRUE(options.affinity);
  expectRefused({"--affinity", "all"}, "there are auto, none");
}

TEST(Options, RefusesWithARemedy) {
  expectRefused({"--epoch", "3"}, "did you mean --epochs?");
  expectRefused({"--worker=3"}, "did you mean --workers?");
  expectRefused({"--no-shufle"}, "did you mean --no-shuffle?");
  expectRefused({"--xyzzy"}, "--help lists them");
  expectRefused({"--" + std::string(100000, 'x')}, "unknown option");
  expectRefused({"train"}, "unexpected argument 'train'");
  expectRefused({"--save"}, "--save needs a value");
  expectRefused({"--save", "--quiet"}, "--save needs a value");
  expectRefused({"--save="}, "--save needs a value");
  expectRefused({"--quiet=1"}, "takes no value");
  expectRefused({"--workers", "0"}, "whole number from 1 to 1024");
  expectRefused({"--workers", "2x"}, "whole number");
  expectRefused({"--epochs", "99999999999999999999"}, "whole number");
  expectRefused({"--lr", "-1"}, "above 0");
  expectRefused({"--lr", "nan"}, "not a number");
  expectRefused({"--scale", "x=one"}, "not a number");
  expectRefused({"--scale", "z=1"}, "it has 'x'");
  expectRefused({"--input", "z=f"}, "--input: the model has no 'z'");
  expectRefused({"--input", "x="}, "has no value");
  expectRefused({"--input", "a", "--input", "b"}, "given twice");
  expectRefused({"--epochs", "1", "--steps", "2"}, "give one");
  expectRefused({"--eval-input", "a"}, "belong together");
  expectRefused({"--device", "gpu"}, "there are cpu, trace");
}

TEST(Options, UnknownOptionExitsWithTwo) {
  Outcome outcome = Program().run({"--epoch", "3"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err,
            "error: unknown option --epoch; did you mean --epochs?\n");
  EXPECT_EQ(Program().run({}).code, 2); // no data
}

TEST(Options, WithoutASimulatorNothingOffersOne) {
  Program core;
  core.commands = {};
  Outcome outcome = core.run({"simulate", "cluster.toml"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("compiled with --no-simulator; compile the model "
                             "again without that option"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(core.run({"--help"}).out.find("simulate"), std::string::npos);
  EXPECT_NE(Program().run({"--help"}).out.find("train simulate CLUSTER.toml"),
            std::string::npos);
}

TEST(Options, HelpFitsAPageAndNamesTheModelsInputs) {
  Outcome outcome = Program().run({"--help"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_LE(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 60);
  for (const char *part :
       {"least-squares", "--input x=FILE", "float32 2 per sample",
        "--label y=FILE", "classes 0 to 1", "28x28 goes into 784"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(line.size(), 80u) << line;
}

TEST(Options, PrintConfigIsJson) {
  Program program;
  Outcome bare = program.run({"--print-config"});
  ASSERT_EQ(bare.code, 0) << bare.err;
  auto json = nlohmann::json::parse(bare.out);
  EXPECT_EQ(json["compiled"]["model"], "least-squares");
  EXPECT_EQ(json["compiled"]["options"]["optimizer"], "sgd");
  EXPECT_EQ(json["compiled"]["quantum"], 4);
  EXPECT_EQ(json["run"]["lr"], 0.1);
  EXPECT_FALSE(json["run"].contains("budget"));

  Outcome full = program.train({"--print-config", "--epochs", "3", "--workers",
                                "2", "--lr", "0.5", "--save", "m.onnx"});
  ASSERT_EQ(full.code, 0) << full.err;
  json = nlohmann::json::parse(full.out);
  EXPECT_EQ(json["run"]["budget"], 150);
  EXPECT_EQ(json["run"]["global-batch"], 8);
  EXPECT_EQ(json["run"]["lr"], 0.5);
  EXPECT_EQ(json["run"]["save"], "m.onnx");
}

TEST(Options, TraceNeedsNoData) {
  Outcome outcome = Program().run({"--device", "trace", "--workers", "2"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("all_reduce @grads 3 f32"), std::string::npos)
      << outcome.out;
}

TEST(Options, VersionNamesTheProducer) {
  EXPECT_EQ(Program().run({"--version"}).out,
            "rubato test, model least-squares, ABI 3\n");
}

} // namespace
