// Emitted row kernels against straightforward C++ in double: softmax, losses
// and what else works row by row.
#include "EmittedKernels.h"
#include "GuardedBuffer.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace rubato::test;

namespace {

constexpr double kEpsilon = std::numeric_limits<float>::epsilon();
constexpr int kRowCounts[] = {1, 2, 10, 64, 65};
constexpr int kColumnCounts[] = {1, 2, 10, 15, 16, 17, 64, 100, 1000};

std::string sized(std::string text, int rows, int cols) {
  text = substitute(text, "ROWS", std::to_string(rows));
  return substitute(text, "COLS", std::to_string(cols));
}

/// Labels that end where memory ends.
class Labels {
public:
  Labels(int rows, int classes) : memory(2 * rows, 1) {
    for (int i = 0; i < rows; ++i)
      set(i, (i * 7 + 3) % classes);
  }
  void set(int i, int64_t label) {
    std::memcpy(memory.data() + 2 * i, &label, sizeof label);
  }
  int64_t operator[](int i) {
    int64_t label;
    std::memcpy(&label, memory.data() + 2 * i, sizeof label);
    return label;
  }
  void *data() { return memory.data(); }

private:
  GuardedBuffer memory;
};

/// Scores of which some rows lie far from zero, with what there is to know of
/// them in double.
class Scores {
public:
  Scores(int rows, int cols) : cols(cols), memory(rows * cols, 5) {
    for (int i = 3; i < rows; i += 5)
      for (int j = 0; j < cols; ++j)
        memory[i * cols + j] += 500;
  }
  float *data() { return memory.data(); }
  double at(int i, int j) { return memory[i * cols + j]; }
  double logSum(int i) {
    double max = at(i, 0), sum = 0;
    for (int j = 0; j < cols; ++j)
      max = std::max(max, at(i, j));
    for (int j = 0; j < cols; ++j)
      sum += std::exp(at(i, j) - max);
    return max + std::log(sum);
  }

private:
  int cols;
  GuardedBuffer memory;
};

const char *kLoss = R"(
  func.func private @loss(%x: tensor<ROWSxCOLSxf32>, %y: tensor<ROWSxi64>, %w: tensor<ROWSxf32>) -> tensor<f64> attributes {rubato.kernel} {
    %0 = nn.softmax_cross_entropy %x, %y : tensor<ROWSxCOLSxf32>, tensor<ROWSxi64> -> tensor<ROWSxf32>
    %1 = arith.mulf %0, %w : tensor<ROWSxf32>
    %2 = arith.extf %1 : tensor<ROWSxf32> to tensor<ROWSxf64>
    %3 = nn.reduce sum %2 dims [0] : tensor<ROWSxf64> -> tensor<f64>
    return %3 : tensor<f64>
  }
  func.func private @gradient(%x: tensor<ROWSxCOLSxf32>, %y: tensor<ROWSxi64>, %w: tensor<ROWSxf32>) -> tensor<ROWSxCOLSxf32> attributes {rubato.kernel} {
    %0 = nn.softmax_cross_entropy_grad %x, %y, %w : tensor<ROWSxCOLSxf32>, tensor<ROWSxi64>, tensor<ROWSxf32>
    return %0 : tensor<ROWSxCOLSxf32>
  })";

void checkLoss(const CompiledKernels &kernels, int rows, int cols) {
  Scores x(rows, cols);
  Labels y(rows, cols);
  GuardedBuffer w(rows, 2), total(2, 3), again(2, 4);
  GuardedBuffer gradient(rows * cols, 5), same(rows * cols, 6);
  kernels.call("loss", {x.data(), y.data(), w.data(), total.data()});
  kernels.call("loss", {x.data(), y.data(), w.data(), again.data()});
  kernels.call("gradient", {x.data(), y.data(), w.data(), gradient.data()});
  kernels.call("gradient", {x.data(), y.data(), w.data(), same.data()});
  EXPECT_EQ(std::memcmp(total.data(), again.data(), sizeof(double)), 0);
  EXPECT_EQ(std::memcmp(gradient.data(), same.data(), 4ul * rows * cols), 0);

  double want = 0, scale = 0, got;
  std::memcpy(&got, total.data(), sizeof got);
  for (int i = 0; i < rows; ++i) {
    double logSum = x.logSum(i), loss = logSum - x.at(i, y[i]);
    want += w[i] * loss;
    scale += std::abs(w[i]) * (1 + loss);
    for (int j = 0; j < cols; ++j) {
      double p = std::exp(x.at(i, j) - logSum);
      EXPECT_NEAR(gradient[i * cols + j], (p - (j == y[i])) * w[i],
                  8 * kEpsilon * std::abs(w[i]) * (p + (j == y[i])))
          << rows << " x " << cols << " at " << i << ", " << j;
    }
  }
  EXPECT_NEAR(got, want, 4 * kEpsilon * scale) << rows << " x " << cols;
}

TEST(EmittedRows, CrossEntropy) {
  for (int cols : kColumnCounts)
    for (int rows : kRowCounts) {
      auto kernels = compileEmitted(sized(kLoss, rows, cols));
      ASSERT_TRUE(kernels && kernels->ok());
      EXPECT_EQ(needs(*kernels), std::vector<std::string>());
      checkLoss(*kernels, rows, cols);
    }
}

TEST(EmittedRows, EveryRowCount) {
  for (int rows = 1; rows <= 65; ++rows) {
    auto kernels = compileEmitted(sized(kLoss, rows, 10));
    ASSERT_TRUE(kernels && kernels->ok());
    checkLoss(*kernels, rows, 10);
  }
}

TEST(EmittedRows, LabelOutsideTheRow) {
  auto kernels = compileEmitted(sized(kLoss, 3, 10));
  ASSERT_TRUE(kernels && kernels->ok());
  Scores x(3, 10);
  Labels y(3, 10);
  GuardedBuffer w(3, 2);
  double got, want = 0;
  for (int64_t label : {int64_t(-1), int64_t(10), INT64_MIN, INT64_MAX}) {
    for (int i = 0; i < 3; ++i)
      y.set(i, label);
    kernels->call("loss", {x.data(), y.data(), w.data(), &got});
    want = 0;
    for (int i = 0; i < 3; ++i) // as if its score were zero
      want += w[i] * x.logSum(i);
    EXPECT_NEAR(got, want, 1e-5) << label;
  }
}

TEST(EmittedRows, Softmax) {
  for (int cols : kColumnCounts) {
    int rows = 9;
    auto kernels = compileEmitted(sized(R"(
      func.func private @softmax(%x: tensor<ROWSxCOLSxf32>) -> (tensor<ROWSxCOLSxf32>, tensor<ROWSxCOLSxf32>) attributes {rubato.kernel} {
        %0 = nn.softmax %x axis 1 : tensor<ROWSxCOLSxf32>
        %1 = nn.log_softmax %x axis 1 : tensor<ROWSxCOLSxf32>
        return %0, %1 : tensor<ROWSxCOLSxf32>, tensor<ROWSxCOLSxf32>
      })",
                                        rows, cols));
    ASSERT_TRUE(kernels && kernels->ok());
    EXPECT_EQ(needs(*kernels), std::vector<std::string>());
    Scores x(rows, cols);
    GuardedBuffer p(rows * cols, 1), l(rows * cols, 2);
    kernels->call("softmax", {x.data(), p.data(), l.data()});
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < cols; ++j) {
        double log = x.at(i, j) - x.logSum(i), want = std::exp(log);
        EXPECT_NEAR(p[i * cols + j], want, 8 * kEpsilon * want)
            << cols << " at " << i << ", " << j;
        EXPECT_NEAR(l[i * cols + j], log, 4 * kEpsilon * (1 - log));
      }
  }
}

TEST(EmittedRows, CountCorrect) {
  for (int cols : kColumnCounts) {
    int rows = 8;
    auto kernels = compileEmitted(sized(R"(
      func.func private @correct(%x: tensor<ROWSxCOLSxf32>, %y: tensor<ROWSxi64>, %w: tensor<ROWSxf32>) -> tensor<i64> attributes {rubato.kernel} {
        %0 = nn.count_correct %x, %y, %w : tensor<ROWSxCOLSxf32>, tensor<ROWSxi64>, tensor<ROWSxf32> -> tensor<i64>
        return %0 : tensor<i64>
      })",
                                        rows, cols));
    ASSERT_TRUE(kernels && kernels->ok());
    Scores x(rows, cols);
    Labels y(rows, cols);
    GuardedBuffer w(rows, 1);
    std::fill_n(w.data(), rows, 1.0f);
    int64_t count = -1;
    auto run = [&] {
      kernels->call("correct", {x.data(), y.data(), w.data(), &count});
      return count;
    };
    for (int i = 0; i < rows; ++i)
      x.data()[i * cols + y[i]] = 1000;
    EXPECT_EQ(run(), rows) << cols;
    w[2] = 0; // padding
    EXPECT_EQ(run(), rows - 1) << cols;
    if (cols == 1)
      continue;
    y.set(0, cols - 1); // two of the same value: the first one wins
    x.data()[0] = x.data()[cols - 1] = 1000;
    EXPECT_EQ(run(), rows - 2) << cols;
    x.data()[4 * cols] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(run(), rows - 3) << cols;
  }
}

/// The sum of a row in the order that the emitter promises.
float treeSum(const float *x, int count) {
  float sums[4][16] = {};
  int at = 0, used = std::min(count / 16, 4);
  for (; count - at >= 16; at += 16)
    for (int l = 0; l < 16; ++l)
      sums[at / 16 % 4][l] += x[at + l];
  for (int l = 0; l < 16; ++l) {
    if (used == 4)
      sums[2][l] += sums[3][l];
    if (used >= 2)
      sums[0][l] += sums[1][l];
    if (used >= 3)
      sums[0][l] += sums[2][l];
  }
  for (int width = 8; width > 0; width /= 2) {
    for (int l = 0; l < width; ++l)
      sums[0][l] += sums[0][width + l];
    if (count - at >= width) {
      for (int l = 0; l < width; ++l)
        sums[0][l] += x[at + l];
      at += width;
    }
  }
  return sums[0][0];
}

TEST(EmittedRows, SumsInAFixedOrder) {
  for (int cols : {1, 2, 10, 15, 16, 17, 33, 48, 63, 64, 65, 100, 127, 1000}) {
    auto kernels = compileEmitted(sized(R"(
      func.func private @sum(%x: tensor<ROWSxCOLSxf32>) -> tensor<ROWSxf32> attributes {rubato.kernel} {
        %0 = nn.reduce sum %x dims [1] : tensor<ROWSxCOLSxf32> -> tensor<ROWSxf32>
        return %0 : tensor<ROWSxf32>
      })",
                                        5, cols));
    ASSERT_TRUE(kernels && kernels->ok());
    GuardedBuffer x(5 * cols, 1), y(5, 2);
    kernels->call("sum", {x.data(), y.data()});
    for (int i = 0; i < 5; ++i)
      EXPECT_EQ(y[i], treeSum(x.data() + i * cols, cols)) << cols;
  }
}

// A row between the steps that is not returned, rows of two dimensions, and
// operands per row and per column.
TEST(EmittedRows, NormalisedRows) {
  for (int cols : {1, 10, 16, 45, 200}) {
    auto kernels = compileEmitted(sized(R"(
      func.func private @centred(%x: tensor<3x4xCOLSxf32>, %b: tensor<COLSxf32>) -> tensor<3x4xCOLSxf32> attributes {rubato.kernel} {
        %0 = nn.reduce sum %x dims [2] : tensor<3x4xCOLSxf32> -> tensor<3x4xf32>
        %1 = nn.broadcast %0 dims [0, 1] : tensor<3x4xf32> -> tensor<3x4xCOLSxf32>
        %2 = arith.subf %x, %1 : tensor<3x4xCOLSxf32>
        %3 = arith.mulf %2, %2 : tensor<3x4xCOLSxf32>
        %4 = nn.reduce sum %3 dims [2] : tensor<3x4xCOLSxf32> -> tensor<3x4xf32>
        %5 = nn.broadcast %4 dims [0, 1] : tensor<3x4xf32> -> tensor<3x4xCOLSxf32>
        %6 = arith.divf %2, %5 : tensor<3x4xCOLSxf32>
        %7 = nn.broadcast %b dims [2] : tensor<COLSxf32> -> tensor<3x4xCOLSxf32>
        %8 = arith.addf %6, %7 : tensor<3x4xCOLSxf32>
        return %8 : tensor<3x4xCOLSxf32>
      })",
                                        0, cols));
    ASSERT_TRUE(kernels && kernels->ok());
    GuardedBuffer x(12 * cols, 1), b(cols, 2), y(12 * cols, 3);
    kernels->call("centred", {x.data(), b.data(), y.data()});
    for (int i = 0; i < 12; ++i) {
      const float *row = x.data() + i * cols;
      double sum = 0, squares = 0;
      for (int j = 0; j < cols; ++j)
        sum += row[j];
      for (int j = 0; j < cols; ++j)
        squares += (row[j] - sum) * (row[j] - sum);
      for (int j = 0; j < cols; ++j) {
        if (cols == 1)
          EXPECT_TRUE(std::isnan(y[i])); // zero over zero
        else
          EXPECT_NEAR(y[i * cols + j], (row[j] - sum) / squares + b[j], 1e-5)
              << cols << " at " << i << ", " << j;
      }
    }
  }
}

} // namespace
