// Emitted elementwise kernels and reductions against straightforward C++, bit
// by bit where no function is approximated.
#include "EmittedKernels.h"
#include "GuardedBuffer.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace rubato::test;

namespace {

TEST(EmittedElementwise, AnyRangeInPlace) {
  auto kernels = compileEmitted(R"(
    func.func private @step(%w: tensor<101xf32>, %v: tensor<101xf32>, %g: tensor<101xf32>, %lr: tensor<f32>) -> (tensor<101xf32>, tensor<101xf32>) attributes {rubato.kernel} {
      %mu = arith.constant dense<0.9> : tensor<101xf32>
      %l = nn.broadcast %lr dims [] : tensor<f32> -> tensor<101xf32>
      %0 = arith.mulf %mu, %v : tensor<101xf32>
      %1 = arith.addf %0, %g : tensor<101xf32>
      %2 = arith.mulf %l, %1 : tensor<101xf32>
      %3 = arith.subf %w, %2 : tensor<101xf32>
      return %3, %1 : tensor<101xf32>, tensor<101xf32>
    })");
  ASSERT_TRUE(kernels && kernels->ok());
  for (auto [lo, hi] :
       {std::pair{0, 101}, {0, 0}, {3, 4}, {5, 37}, {50, 101}}) {
    GuardedBuffer w(101, 1), v(101, 2), g(101, 3), lr(1, 4);
    std::vector<float> w0(w.data(), w.data() + 101),
        v0(v.data(), v.data() + 101);
    kernels->call("step",
                  {w.data(), v.data(), g.data(), lr.data(), w.data(), v.data()},
                  lo, hi);
    for (int i = 0; i < 101; ++i) {
      bool in = i >= lo && i < hi;
      volatile float scaled = 0.9f * v0[i]; // two roundings
      float velocity = scaled + g[i];
      volatile float move = lr[0] * velocity;
      EXPECT_EQ(v[i], in ? velocity : v0[i]) << lo << ", " << hi << " at " << i;
      EXPECT_EQ(w[i], in ? w0[i] - move : w0[i]);
    }
  }
}

TEST(EmittedElementwise, RowsWithBroadcasts) {
  for (int cols : {1, 7, 16, 45}) {
    std::string text = substitute(R"(
      func.func private @rows(%x: tensor<9xCOLSxf32>, %b: tensor<COLSxf32>, %s: tensor<9xf32>) -> tensor<9xCOLSxf32> attributes {rubato.kernel} {
        %0 = nn.broadcast %b dims [1] : tensor<COLSxf32> -> tensor<9xCOLSxf32>
        %1 = nn.broadcast %s dims [0] : tensor<9xf32> -> tensor<9xCOLSxf32>
        %2 = arith.addf %x, %0 : tensor<9xCOLSxf32>
        %3 = arith.mulf %2, %1 : tensor<9xCOLSxf32>
        %4 = math.tanh %3 : tensor<9xCOLSxf32>
        return %4 : tensor<9xCOLSxf32>
      })",
                                  "COLS", std::to_string(cols));
    auto kernels = compileEmitted(text);
    ASSERT_TRUE(kernels && kernels->ok());
    EXPECT_EQ(needs(*kernels), std::vector<std::string>());
    GuardedBuffer x(9 * cols, 1), b(cols, 2), s(9, 3), y(9 * cols, 4);
    std::vector<float> old(y.data(), y.data() + 9 * cols);
    kernels->call("rows", {x.data(), b.data(), s.data(), y.data()}, 2, 8);
    for (int i = 0; i < 9 * cols; ++i) {
      int row = i / cols;
      if (row < 2 || row >= 8)
        EXPECT_EQ(y[i], old[i]);
      else
        EXPECT_NEAR(y[i], std::tanh((x[i] + b[i % cols]) * s[row]), 1e-6);
    }
  }
}

TEST(EmittedElementwise, OtherTypesAndRanks) {
  auto kernels = compileEmitted(R"(
    func.func private @double(%x: tensor<21xf64>, %y: tensor<21xf64>) -> tensor<21xf64> attributes {rubato.kernel} {
      %0 = arith.mulf %x, %y : tensor<21xf64>
      %1 = arith.subf %0, %x : tensor<21xf64>
      return %1 : tensor<21xf64>
    }
    func.func private @integers(%x: tensor<21xi64>, %y: tensor<21xf32>) -> tensor<21xf32> attributes {rubato.kernel} {
      %two = arith.constant dense<2> : tensor<21xi64>
      %zero = arith.constant dense<0.0> : tensor<21xf32>
      %0 = arith.cmpi sgt, %x, %two : tensor<21xi64>
      %1 = arith.select %0, %y, %zero : tensor<21xi1>, tensor<21xf32>
      return %1 : tensor<21xf32>
    }
    func.func private @cube(%x: tensor<2x3x19xf32>, %b: tensor<3xf32>) -> tensor<2x3x19xf32> attributes {rubato.kernel} {
      %0 = nn.broadcast %b dims [1] : tensor<3xf32> -> tensor<2x3x19xf32>
      %1 = arith.addf %x, %0 : tensor<2x3x19xf32>
      return %1 : tensor<2x3x19xf32>
    })");
  ASSERT_TRUE(kernels && kernels->ok());
  auto x = numbers<double>(21, 1), y = numbers<double>(21, 2);
  std::vector<double> z(21);
  kernels->call("double", {x.data(), y.data(), z.data()}, 0, 21);
  for (int i = 0; i < 21; ++i) {
    volatile double product = x[i] * y[i]; // two roundings
    EXPECT_EQ(z[i], product - x[i]);
  }

  std::vector<int64_t> labels(21);
  for (int i = 0; i < 21; ++i)
    labels[i] = i % 5;
  GuardedBuffer value(21, 3), chosen(21, 4);
  kernels->call("integers", {labels.data(), value.data(), chosen.data()}, 0,
                21);
  for (int i = 0; i < 21; ++i)
    EXPECT_EQ(chosen[i], i % 5 > 2 ? value[i] : 0);

  GuardedBuffer cube(2 * 3 * 19, 5), bias(3, 6), sum(2 * 3 * 19, 7);
  kernels->call("cube", {cube.data(), bias.data(), sum.data()}, 0, 2);
  for (int i = 0; i < 2 * 3 * 19; ++i)
    EXPECT_EQ(sum[i], cube[i] + bias[i / 19 % 3]) << i;
}

TEST(EmittedReductions, ColumnSums) {
  for (int cols : {1, 10, 32, 77}) {
    std::string text = substitute(R"(
      func.func private @sum(%x: tensor<37xCOLSxf32>) -> tensor<COLSxf32> attributes {rubato.kernel} {
        %0 = nn.reduce sum %x dims [0] : tensor<37xCOLSxf32> -> tensor<COLSxf32>
        return %0 : tensor<COLSxf32>
      }
      func.func private @accumulate(%x: tensor<37xCOLSxf32>, %g: tensor<COLSxf32>) -> tensor<COLSxf32> attributes {rubato.kernel} {
        %0 = nn.reduce sum %x dims [0] : tensor<37xCOLSxf32> -> tensor<COLSxf32>
        %1 = arith.addf %g, %0 : tensor<COLSxf32>
        return %1 : tensor<COLSxf32>
      })",
                                  "COLS", std::to_string(cols));
    auto kernels = compileEmitted(text);
    ASSERT_TRUE(kernels && kernels->ok());
    GuardedBuffer x(37 * cols, 1), g(cols, 2), y(cols, 3);
    std::vector<float> old(g.data(), g.data() + cols);
    kernels->call("sum", {x.data(), y.data()});
    kernels->call("accumulate", {x.data(), g.data(), g.data()});
    for (int j = 0; j < cols; ++j) {
      float sum = 0;
      for (int i = 0; i < 37; ++i)
        sum += x[i * cols + j];
      EXPECT_EQ(y[j], sum);
      EXPECT_EQ(g[j], old[j] + sum);
    }
  }
}

} // namespace
