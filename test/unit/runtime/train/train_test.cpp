// ./train end to end, with one worker and with several.
#include "support/safetensors.h"
#include "train/program.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace rubato;
using namespace rubato::test;
using nlohmann::json;

namespace {

struct TrainTest : testing::Test {
  void TearDown() override { handHook = nullptr; }

  std::vector<float> parameters(const std::string &name) {
    std::string blob = program.folder.read(name);
    std::vector<float> values;
    for (const char *slot : {"a", "b"}) {
      TensorView view;
      Status status = findTensor(blob.data(), blob.size(), slot, view);
      EXPECT_TRUE(status) << status.message();
      if (!status)
        return {};
      values.resize(values.size() + size_t(view.count()));
      std::memcpy(&*values.end() - view.count(), view.data, size_t(view.size));
    }
    return values;
  }

  std::vector<json> metrics() {
    std::istringstream in(program.folder.read("m.jsonl"));
    std::vector<json> lines;
    for (std::string line; std::getline(in, line);)
      lines.push_back(json::parse(line));
    return lines;
  }

  Program program;
};

TEST_F(TrainTest, TrainsInProcess) {
  Outcome outcome = program.train(
      {"--epochs", "40", "--lr=0.5", "--eval-input", program.inputs,
       "--eval-label", program.labels, "--eval-every", "10", "--metrics",
       program.folder.file("m.jsonl"), "--save",
       program.folder.file("model.onnx"), "--dump-parameters",
       program.folder.file("w.st")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(has(outcome.out, "epoch 40/40  50/50 samples")) << outcome.out;
  EXPECT_TRUE(matches(outcome.out, "\nsamples +2000 by 1 members\n"))
      << outcome.out;
  EXPECT_TRUE(matches(outcome.out, "\nrounds of worker.round +520\n"))
      << outcome.out;
  EXPECT_TRUE(has(outcome.out, "accuracy"));

  std::vector<json> lines = metrics();
  ASSERT_EQ(lines.size(), 525u); // rounds, evaluations, the summary
  int64_t evaluations = 0;
  for (const json &line : lines)
    if (line.contains("eval")) {
      ++evaluations;
      EXPECT_EQ(line["samples"], 50);
      EXPECT_EQ(line["epoch"], evaluations * 10);
    }
  EXPECT_EQ(evaluations, 4);
  EXPECT_EQ(lines.back()["summary"], true);
  EXPECT_EQ(lines.back()["seen"], 2000);
  EXPECT_GT(lines.back()["accuracy"], 0.9);
  EXPECT_EQ(lines[0]["round"], 1);
  EXPECT_EQ(lines[0]["samples"], 4);
  EXPECT_EQ(lines[12]["samples"], 2); // 50 = 12 * 4 + 2
  EXPECT_EQ(lines[12]["epoch"], 1);
  EXPECT_EQ(lines[13]["epoch"], 2);

  // The saved model is the template with the parameters in their places.
  std::vector<float> w = parameters("w.st");
  ASSERT_EQ(w.size(), 3u);
  std::string expected = handTemplate;
  std::memcpy(&expected[5], w.data(), 8);
  std::memcpy(&expected[14], &w[2], 4);
  EXPECT_EQ(program.folder.read("model.onnx"), expected);
}

TEST_F(TrainTest, WorkersAgreeWithEachOtherAndWithOne) {
  // 50 = 4 * 12 + 2: the tail leaves the third worker without a sample.
  std::vector<double> losses[2];
  for (const char *workers : {"1", "3"}) {
    Outcome outcome = program.train(
        {"--workers", workers, "--global-batch", "12", "--epochs", "5",
         "--seed", "7", "--dump-parameters",
         program.folder.file(std::string("w") + workers + ".%r"),
         "--eval-input", program.inputs, "--eval-label", program.labels,
         "--metrics", program.folder.file("m.jsonl")});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    std::vector<json> lines = metrics();
    ASSERT_EQ(lines.size(), 31u);
    EXPECT_EQ(lines[29]["samples"], 50);
    EXPECT_EQ(lines[4]["samples"], 2);
    // Each round by itself, with the mean of all its samples.
    std::erase_if(lines, [](const json &line) {
      return line.contains("eval") || line.contains("summary");
    });
    ASSERT_EQ(lines.size(), 25u);
    for (size_t i = 0; i != lines.size(); ++i) {
      EXPECT_EQ(lines[i]["round"], i + 1);
      losses[workers[0] == '3'].push_back(lines[i]["loss"]);
    }
  }
  for (size_t i = 0; i != losses[0].size(); ++i)
    EXPECT_NEAR(losses[0][i], losses[1][i], 1e-5);
  std::vector<float> serial = parameters("w1.0");
  std::vector<float> first = parameters("w3.0");
  EXPECT_EQ(first, parameters("w3.1"));
  EXPECT_EQ(first, parameters("w3.2"));
  ASSERT_EQ(first.size(), 3u);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(first[i], serial[i], 1e-5f);
  EXPECT_NE(first, (std::vector<float>{0.25f, -0.25f, 0.5f}));
}

TEST_F(TrainTest, SeedDecidesTheOrder) {
  auto result = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--dump-parameters",
                                       program.folder.file("w.st"), "--quiet"});
    Outcome outcome = program.train(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    return parameters("w.st");
  };
  std::vector<float> one = result({"--seed", "1"});
  EXPECT_EQ(one, result({"--seed=1"}));
  EXPECT_NE(one, result({"--seed", "2"}));
  EXPECT_NE(one, result({"--no-shuffle"}));
  EXPECT_EQ(result({"--no-shuffle"}), result({"--no-shuffle", "--seed", "9"}));
}

TEST_F(TrainTest, StepsCountRoundsAcrossTails) {
  for (auto [steps, seen] :
       {std::pair<const char *, int64_t>{"3", 12}, {"13", 50}, {"14", 54}}) {
    Outcome outcome = program.train(
        {"--steps", steps, "--metrics", program.folder.file("m.jsonl")});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    std::vector<json> lines = metrics();
    ASSERT_EQ(lines.size(), size_t(std::stoi(steps)) + 1);
    EXPECT_EQ(lines[lines.size() - 2]["seen"], seen);
    EXPECT_EQ(lines.back()["seen"], seen);
  }
}

/// Rounds are faster than the launcher looks: nothing is left out all the same.
TEST_F(TrainTest, EverySampleIsTold) {
  for (const char *fabric : {"threads", "processes"}) {
    Outcome outcome = program.train(
        {"--workers", "2", "--epochs", "1000", "--fabric", fabric, "--lr",
         "0.01", "--metrics", program.folder.file("m.jsonl")});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    int64_t samples = 0;
    std::vector<json> lines = metrics();
    for (size_t i = 0; i + 1 < lines.size(); ++i)
      samples += lines[i]["samples"].get<int64_t>();
    EXPECT_EQ(samples, 50000);
    EXPECT_EQ(lines.back()["seen"], 50000);
    EXPECT_TRUE(matches(outcome.out, "\nsamples +50000 by 2 members\n"))
        << outcome.out;
  }
}

TEST_F(TrainTest, DumpsTheGradientOfTheFirstMicroBatch) {
  Outcome outcome = program.train(
      {"--dump-gradients", program.folder.file("g.st"), "--dump-parameters",
       program.folder.file("w.st"), "--workers", "2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(parameters("w.st"), (std::vector<float>{0.25f, -0.25f, 0.5f}));
  std::string x = program.folder.read("x.npy");
  std::string y = program.folder.read("y.npy");
  const char *points = x.data() + x.size() - 50 * 8;
  const char *classes = y.data() + y.size() - 50;
  float expected[3] = {};
  for (int i = 0; i < 4; ++i) {
    float p[2];
    std::memcpy(p, points + 8 * i, 8);
    float error = 0.25f * p[0] - 0.25f * p[1] + 0.5f - float(classes[i]);
    expected[0] += error * p[0];
    expected[1] += error * p[1];
    expected[2] += error;
  }
  std::vector<float> gradient = parameters("g.st");
  ASSERT_EQ(gradient.size(), 3u);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(gradient[i], expected[i], 1e-6f);
  EXPECT_TRUE(has(program.folder.read("g.st"), "\"samples\":\"4\""));
}

TEST_F(TrainTest, TimelineOfAllWorkersIsOneFile) {
  Outcome outcome = program.train(
      {"--workers", "2", "--timeline", program.folder.file("t.json")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  json trace = json::parse(program.folder.read("t.json"));
  std::set<int> ranks;
  for (const json &event : trace["traceEvents"])
    ranks.insert(event["pid"].get<int>());
  EXPECT_EQ(ranks, (std::set<int>{0, 1}));
  EXPECT_FALSE(std::filesystem::exists(program.folder.file("t.json.rank0")));
}

TEST_F(TrainTest, NamesTheRankOfWorkersOutput) {
  handHook = [](rb_ctx *ctx, int64_t round) {
    if (round == 1)
      std::printf("hello from %d\n", int(rb_rank(ctx)));
  };
  Outcome outcome = program.train({"--workers", "3"});
  ASSERT_EQ(outcome.code, 0);
  EXPECT_FALSE(has(outcome.out, "hello"));
  EXPECT_TRUE(has(outcome.err, "[rank 0] hello from 0\n")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "[rank 1] hello from 1\n")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "[rank 2] hello from 2\n")) << outcome.err;
  // Who is alone speaks for itself.
  outcome = program.train({});
  ASSERT_EQ(outcome.code, 0);
  EXPECT_TRUE(has(outcome.out, "hello from 0\n")) << outcome.out;
  EXPECT_EQ(outcome.err, "");
}

} // namespace
