// @gradient of whole models against differences of @evaluate, in f64.
#include "Programs.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace rubato::test;
using rubato::interp::Value;

namespace {

/// A flat vector of `count` parameters; element `changed` is moved by `by`.
Value parameters(Program &program, int64_t count, int64_t changed, double by) {
  mlir::Type type = program.type("tensor<" + std::to_string(count) + "xf64>");
  return Value::build<double>(type, [&](llvm::MutableArrayRef<double> out) {
    for (int64_t i = 0; i != count; ++i)
      out[i] = 0.8 * std::sin(1.3 * double(i + 1)) + (i == changed ? by : 0);
  });
}

Value inputs(mlir::Type type) {
  return Value::build<double>(type, [&](llvm::MutableArrayRef<double> out) {
    for (size_t i = 0; i != out.size(); ++i)
      out[i] = std::cos(0.9 * double(i * i + 1));
  });
}

/// Differentiates `model` for `loss` and compares all of its gradient. The
/// accumulator starts at ones, which must be added.
void check(const std::string &model, const std::string &loss, int64_t count,
           Value (*labels)(Program &)) {
  Program program(model);
  ASSERT_TRUE(program.run("build-training{loss=" + loss + "}"))
      << program.errors;
  Value x = inputs(program.type("tensor<4x3xf64>"));
  Value y = labels(program);
  // The third sample counts twice, the last is padding.
  Value weights =
      Value::of<double>(program.type("tensor<4xf64>"), {1, 1, 2, 0});
  Value ids = Value::of<int64_t>(program.type("tensor<4xi64>"), {0, 1, 2, 3});
  Value step = Value::integer(program.type("tensor<i64>"), 0);
  Value w = parameters(program, count, -1, 0);
  Value ones = Value::build<double>(
      w.type(), [](llvm::MutableArrayRef<double> out) { llvm::fill(out, 1); });
  auto results = program.call({w, x, y, weights, ids, step, ones}, "gradient");
  ASSERT_EQ(results.size(), 4u) << program.errors;
  EXPECT_EQ(results[1].asInt(), 3) << "samples";
  EXPECT_EQ(results[2].asInt(), 3) << "divisor";

  auto lossAt = [&](int64_t i, double by) {
    auto scores = program.call(
        {parameters(program, count, i, by), x, y, weights, ids}, "evaluate");
    EXPECT_EQ(scores.size(), 3u) << program.errors;
    return scores.empty() ? 0 : scores[0].asFloat();
  };
  EXPECT_EQ(results[3].asFloat(), lossAt(-1, 0));
  double h = 1e-5;
  for (int64_t i = 0; i != count; ++i) {
    double want = (lossAt(i, h) - lossAt(i, -h)) / (2 * h);
    EXPECT_NEAR(results[0].floatAt(i) - 1, want, 1e-8) << "parameter " << i;
  }
}

TEST(Gradients, OfASoftmaxClassifier) {
  check(R"(
    nn.parameter @w parameter : tensor<5x3xf64>
    nn.parameter @b parameter : tensor<5xf64>
    nn.parameter @v parameter : tensor<5x2xf64>
    func.func @forward(%x: tensor<4x3xf64>) -> tensor<4x2xf64> {
      %w = nn.get @w : tensor<5x3xf64>
      %b = nn.get @b : tensor<5xf64>
      %v = nn.get @v : tensor<5x2xf64>
      %0 = nn.matmul %x, %w {transpose_rhs} : tensor<4x3xf64>, tensor<5x3xf64> -> tensor<4x5xf64>
      %1 = nn.broadcast %b dims [1] : tensor<5xf64> -> tensor<4x5xf64>
      %2 = arith.addf %0, %1 : tensor<4x5xf64>
      %3 = math.tanh %2 : tensor<4x5xf64>
      %4 = nn.matmul %3, %v : tensor<4x5xf64>, tensor<5x2xf64> -> tensor<4x2xf64>
      return %4 : tensor<4x2xf64>
    })",
        "softmax-cross-entropy", 30, [](Program &program) {
          return Value::of<int64_t>(program.type("tensor<4xi64>"),
                                    {1, 0, 1, 0});
        });
}

TEST(Gradients, OfALinearRegression) {
  check(R"(
    nn.parameter @w parameter : tensor<3x2xf64>
    func.func @forward(%x: tensor<4x3xf64>) -> tensor<4x2xf64> {
      %w = nn.get @w : tensor<3x2xf64>
      %0 = nn.matmul %x, %w : tensor<4x3xf64>, tensor<3x2xf64> -> tensor<4x2xf64>
      return %0 : tensor<4x2xf64>
    })",
        "mse", 6, [](Program &program) {
          return Value::of<double>(program.type("tensor<4x2xf64>"),
                                   {1, -1, 0.5, 2, -0.25, 0, 3, 4});
        });
}

} // namespace
