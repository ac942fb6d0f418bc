// The reference road against straightforward C++: softmax, losses, accuracy.
#include "CompiledKernels.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace rubato::test;

namespace {

constexpr int kRows = 7, kClasses = 11;

template <typename T> class ReferenceScores : public testing::Test {
protected:
  void SetUp() override {
    bool isFloat = std::is_same_v<T, float>;
    kernels = std::make_unique<CompiledKernels>(
        substitute(R"(
    func.func private @rows(%x: tensor<7x11xFT>) -> (tensor<7x11xFT>, tensor<7x11xFT>, tensor<7x11xFT>) attributes {rubato.kernel} {
      %0 = nn.softmax %x axis 1 : tensor<7x11xFT>
      %1 = nn.log_softmax %x axis 1 : tensor<7x11xFT>
      %2 = nn.sigmoid %x : tensor<7x11xFT>
      return %0, %1, %2 : tensor<7x11xFT>, tensor<7x11xFT>, tensor<7x11xFT>
    }
    func.func private @columns(%x: tensor<7x11xFT>) -> tensor<7x11xFT> attributes {rubato.kernel} {
      %0 = nn.softmax %x axis 0 : tensor<7x11xFT>
      return %0 : tensor<7x11xFT>
    }
    func.func private @loss(%x: tensor<7x11xFT>, %y: tensor<7xi64>, %g: tensor<7xFT>) -> (tensor<7xFT>, tensor<7x11xFT>) attributes {rubato.kernel} {
      %0 = nn.softmax_cross_entropy %x, %y : tensor<7x11xFT>, tensor<7xi64> -> tensor<7xFT>
      %1 = nn.softmax_cross_entropy_grad %x, %y, %g : tensor<7x11xFT>, tensor<7xi64>, tensor<7xFT>
      return %0, %1 : tensor<7xFT>, tensor<7x11xFT>
    }
    func.func private @correct(%x: tensor<7x11xFT>, %y: tensor<7xi64>, %w: tensor<7xFT>) -> tensor<i64> attributes {rubato.kernel} {
      %0 = nn.count_correct %x, %y, %w : tensor<7x11xFT>, tensor<7xi64>, tensor<7xFT> -> tensor<i64>
      return %0 : tensor<i64>
    })",
                   "FT", isFloat ? "f32" : "f64"));
    ASSERT_TRUE(kernels->ok()) << kernels->error;
    if (isFloat)
      for (const std::string &name : kernels->undefinedSymbols())
        EXPECT_TRUE(name == "memcpy" || name == "memset" || name.empty())
            << name << " must not be called by a kernel";
    x = numbers<T>(kRows * kClasses, 6);
    // Far from zero: only what takes the maximum out survives.
    for (int j = 0; j < kClasses; ++j)
      x[3 * kClasses + j] += T(500);
    for (int i = 0; i < kRows; ++i)
      y.push_back((i * 5 + 2) % kClasses);
  }

  double at(int i, int j) const { return x[i * kClasses + j]; }
  /// log(sum exp) along a row.
  double logSum(int i) const {
    double max = at(i, 0), sum = 0;
    for (int j = 0; j < kClasses; ++j)
      max = std::max(max, at(i, j));
    for (int j = 0; j < kClasses; ++j)
      sum += std::exp(at(i, j) - max);
    return max + std::log(sum);
  }
  static void near(T got, double want) {
    // A subtraction of numbers near 500 is as exact as those are.
    EXPECT_NEAR(got, want,
                std::numeric_limits<T>::epsilon() * 64 * (1 + std::abs(want)));
  }

  std::unique_ptr<CompiledKernels> kernels;
  std::vector<T> x;
  std::vector<int64_t> y;
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(ReferenceScores, Types);

TYPED_TEST(ReferenceScores, Softmax) {
  std::vector<TypeParam> p(this->x.size()), l(p), s(p), columns(p);
  this->kernels->call("rows", {this->x.data(), p.data(), l.data(), s.data()});
  this->kernels->call("columns", {this->x.data(), columns.data()});
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kClasses; ++j) {
      int at = i * kClasses + j;
      this->near(l[at], this->at(i, j) - this->logSum(i));
      this->near(p[at], std::exp(this->at(i, j) - this->logSum(i)));
      this->near(s[at], 1 / (1 + std::exp(-this->at(i, j))));
      double sum = 0;
      for (int k = 0; k < kRows; ++k)
        sum += std::exp(this->at(k, j) - this->at(i, j));
      this->near(columns[at], 1 / sum);
    }
}

TYPED_TEST(ReferenceScores, CrossEntropy) {
  std::vector<TypeParam> g = numbers<TypeParam>(kRows, 7), loss(kRows);
  std::vector<TypeParam> gradient(this->x.size());
  this->kernels->call("loss", {this->x.data(), this->y.data(), g.data(),
                               loss.data(), gradient.data()});
  for (int i = 0; i < kRows; ++i) {
    double logSum = this->logSum(i);
    this->near(loss[i], logSum - this->at(i, this->y[i]));
    for (int j = 0; j < kClasses; ++j)
      this->near(gradient[i * kClasses + j],
                 (std::exp(this->at(i, j) - logSum) - (j == this->y[i])) *
                     g[i]);
  }
}

TYPED_TEST(ReferenceScores, CountCorrect) {
  auto &x = this->x;
  auto &y = this->y;
  std::vector<TypeParam> weights(kRows, TypeParam(1));
  for (int i = 0; i < kRows; ++i)
    x[i * kClasses + y[i]] = TypeParam(1000);
  int64_t count = -1;
  auto run = [&] {
    this->kernels->call("correct",
                        {x.data(), y.data(), weights.data(), &count});
    return count;
  };
  EXPECT_EQ(run(), kRows);
  weights[2] = 0; // padding
  EXPECT_EQ(run(), kRows - 1);
  x[0 * kClasses + y[0] + 1] = TypeParam(1000); // an equal one later: no harm
  EXPECT_EQ(run(), kRows - 1);
  x[1 * kClasses + y[1] - 1] = TypeParam(1000); // an equal one earlier wins
  EXPECT_EQ(run(), kRows - 2);
  x[4 * kClasses + 10] = std::numeric_limits<TypeParam>::quiet_NaN();
  EXPECT_EQ(run(), kRows - 3);
}

} // namespace
