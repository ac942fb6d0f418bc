// The reference road against straightforward C++: products, shapes,
// elementwise work, and the contract of docs/kernels.md.
#include "CompiledKernels.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace rubato::test;

namespace {

template <typename T> const char *typeName();
template <> const char *typeName<float>() { return "f32"; }
template <> const char *typeName<double>() { return "f64"; }

template <typename T> double tolerance() {
  return std::numeric_limits<T>::epsilon() * 32;
}

template <typename T>
void expectNear(const std::vector<T> &got, const std::vector<double> &want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i != got.size(); ++i)
    EXPECT_NEAR(got[i], want[i], tolerance<T>() * (1 + std::abs(want[i])))
        << "at " << i;
}

template <typename T> class ReferenceKernels : public testing::Test {
protected:
  /// Compiles `text` with FT standing for the float type.
  static std::unique_ptr<CompiledKernels> compile(const std::string &text) {
    auto kernels = std::make_unique<CompiledKernels>(
        substitute(text, "FT", typeName<T>()));
    EXPECT_TRUE(kernels->ok()) << kernels->error;
    return kernels;
  }
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(ReferenceKernels, Types);

TYPED_TEST(ReferenceKernels, Matmul) {
  using T = TypeParam;
  constexpr int M = 7, N = 5, K = 13;
  auto kernels = this->compile(R"(
    func.func private @nn(%a: tensor<7x13xFT>, %b: tensor<13x5xFT>) -> tensor<7x5xFT> attributes {rubato.kernel} {
      %0 = nn.matmul %a, %b : tensor<7x13xFT>, tensor<13x5xFT> -> tensor<7x5xFT>
      return %0 : tensor<7x5xFT>
    }
    func.func private @nt(%a: tensor<7x13xFT>, %b: tensor<5x13xFT>) -> tensor<7x5xFT> attributes {rubato.kernel} {
      %0 = nn.matmul %a, %b {transpose_rhs} : tensor<7x13xFT>, tensor<5x13xFT> -> tensor<7x5xFT>
      return %0 : tensor<7x5xFT>
    }
    func.func private @tn(%a: tensor<13x7xFT>, %b: tensor<13x5xFT>) -> tensor<7x5xFT> attributes {rubato.kernel} {
      %0 = nn.matmul %a, %b {transpose_lhs} : tensor<13x7xFT>, tensor<13x5xFT> -> tensor<7x5xFT>
      return %0 : tensor<7x5xFT>
    }
    func.func private @tt(%a: tensor<13x7xFT>, %b: tensor<5x13xFT>) -> tensor<7x5xFT> attributes {rubato.kernel} {
      %0 = nn.matmul %a, %b {transpose_lhs, transpose_rhs} : tensor<13x7xFT>, tensor<5x13xFT> -> tensor<7x5xFT>
      return %0 : tensor<7x5xFT>
    })");
  std::vector<T> a = numbers<T>(M * K, 1), b = numbers<T>(K * N, 2);
  for (bool ta : {false, true})
    for (bool tb : {false, true}) {
      std::vector<T> c(M * N, T(99));
      std::string name = std::string(ta ? "t" : "n") + (tb ? "t" : "n");
      kernels->call(name, {a.data(), b.data(), c.data()});
      std::vector<double> want(M * N);
      for (int m = 0; m < M; ++m)
        for (int n = 0; n < N; ++n)
          for (int k = 0; k < K; ++k)
            want[m * N + n] += double(ta ? a[k * M + m] : a[m * K + k]) *
                               double(tb ? b[n * K + k] : b[k * N + n]);
      expectNear(c, want);
    }
}

TYPED_TEST(ReferenceKernels, EpilogueMayWriteItsOperand) {
  using T = TypeParam;
  // Larger than all the scratch a kernel may have.
  constexpr int M = 131, N = 257, K = 3;
  auto kernels = this->compile(R"(
    func.func private @accumulate(%x: tensor<3x131xFT>, %g: tensor<3x257xFT>, %acc: tensor<131x257xFT>) -> tensor<131x257xFT> attributes {rubato.kernel} {
      %0 = nn.matmul %x, %g {transpose_lhs} : tensor<3x131xFT>, tensor<3x257xFT> -> tensor<131x257xFT>
      %1 = arith.addf %acc, %0 : tensor<131x257xFT>
      return %1 : tensor<131x257xFT>
    })");
  std::vector<T> x = numbers<T>(K * M, 1), g = numbers<T>(K * N, 2);
  std::vector<T> acc = numbers<T>(M * N, 3);
  std::vector<double> want(acc.begin(), acc.end());
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n)
      for (int k = 0; k < K; ++k)
        want[m * N + n] += double(x[k * M + m]) * double(g[k * N + n]);
  kernels->call("accumulate", {x.data(), g.data(), acc.data(), acc.data()});
  expectNear(acc, want);
}

TYPED_TEST(ReferenceKernels, ElementwiseHonoursItsRangeInPlace) {
  using T = TypeParam;
  constexpr int N = 37;
  auto kernels = this->compile(R"(
    func.func private @step(%w: tensor<37xFT>, %v: tensor<37xFT>, %g: tensor<37xFT>, %lr: tensor<FT>) -> (tensor<37xFT>, tensor<37xFT>) attributes {rubato.kernel} {
      %momentum = arith.constant dense<0.5> : tensor<37xFT>
      %0 = arith.mulf %v, %momentum : tensor<37xFT>
      %1 = arith.addf %0, %g : tensor<37xFT>
      %2 = nn.broadcast %lr dims [] : tensor<FT> -> tensor<37xFT>
      %3 = arith.mulf %1, %2 : tensor<37xFT>
      %4 = arith.subf %w, %3 : tensor<37xFT>
      return %4, %1 : tensor<37xFT>, tensor<37xFT>
    })");
  std::vector<T> w = numbers<T>(N, 1), v = numbers<T>(N, 2);
  std::vector<T> g = numbers<T>(N, 3), lr = {T(0.25)};
  std::vector<double> wantW(w.begin(), w.end()), wantV(v.begin(), v.end());
  for (int i = 5; i < 29; ++i) {
    wantV[i] = wantV[i] * 0.5 + g[i];
    wantW[i] -= wantV[i] * 0.25;
  }
  kernels->call("step",
                {w.data(), v.data(), g.data(), lr.data(), w.data(), v.data()},
                5, 29);
  expectNear(w, wantW);
  expectNear(v, wantV);
}

TYPED_TEST(ReferenceKernels, ReluPassesNaN) {
  using T = TypeParam;
  auto kernels = this->compile(R"(
    func.func private @relu(%x: tensor<5xFT>) -> tensor<5xFT> attributes {rubato.kernel} {
      %0 = nn.relu %x : tensor<5xFT>
      return %0 : tensor<5xFT>
    })");
  T inf = std::numeric_limits<T>::infinity();
  std::vector<T> x = {T(-1.5), T(2.5), T(std::nan("")), -inf, inf}, y(5);
  kernels->call("relu", {x.data(), y.data()}, 0, 5);
  EXPECT_EQ(y[0], T(0));
  EXPECT_EQ(y[1], T(2.5));
  EXPECT_TRUE(std::isnan(y[2]));
  EXPECT_EQ(y[3], T(0));
  EXPECT_EQ(y[4], inf);
}

TYPED_TEST(ReferenceKernels, Shapes) {
  using T = TypeParam;
  auto kernels = this->compile(R"(
    func.func private @broadcast(%x: tensor<3xFT>) -> tensor<5x3x2xFT> attributes {rubato.kernel} {
      %0 = nn.broadcast %x dims [1] : tensor<3xFT> -> tensor<5x3x2xFT>
      return %0 : tensor<5x3x2xFT>
    }
    func.func private @transpose(%x: tensor<2x3x5xFT>) -> tensor<5x2x3xFT> attributes {rubato.kernel} {
      %0 = nn.transpose %x perm [2, 0, 1] : tensor<2x3x5xFT> -> tensor<5x2x3xFT>
      return %0 : tensor<5x2x3xFT>
    }
    func.func private @reduce(%x: tensor<2x3x5xFT>) -> (tensor<3xFT>, tensor<FT>) attributes {rubato.kernel} {
      %0 = nn.reduce sum %x dims [0, 2] : tensor<2x3x5xFT> -> tensor<3xFT>
      %1 = nn.reduce sum %x dims [0, 1, 2] : tensor<2x3x5xFT> -> tensor<FT>
      return %0, %1 : tensor<3xFT>, tensor<FT>
    }
    func.func private @reshape(%x: tensor<6x5xFT>) -> (tensor<3x10xFT>, tensor<30xFT>, tensor<6x5xFT>) attributes {rubato.kernel} {
      %0 = nn.reshape %x : tensor<6x5xFT> -> tensor<3x10xFT>
      %1 = arith.negf %x : tensor<6x5xFT>
      %2 = nn.reshape %1 : tensor<6x5xFT> -> tensor<30xFT>
      return %0, %2, %x : tensor<3x10xFT>, tensor<30xFT>, tensor<6x5xFT>
    })");
  std::vector<T> x = numbers<T>(30, 4), y(30);
  kernels->call("broadcast", {x.data(), y.data()}, 0, 5);
  for (int i = 0; i < 30; ++i)
    EXPECT_EQ(y[i], x[i / 2 % 3]);
  kernels->call("transpose", {x.data(), y.data()});
  for (int k = 0; k < 5; ++k)
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j)
        EXPECT_EQ(y[(k * 2 + i) * 3 + j], x[(i * 3 + j) * 5 + k]);

  std::vector<T> rows(3), total(1);
  kernels->call("reduce", {x.data(), rows.data(), total.data()});
  std::vector<double> wantRows(3), wantTotal(1);
  for (int i = 0; i < 30; ++i) {
    wantRows[i / 5 % 3] += x[i];
    wantTotal[0] += x[i];
  }
  expectNear(rows, wantRows);
  expectNear(total, wantTotal);

  std::vector<T> same(30), negated(30), handed(30);
  kernels->call("reshape",
                {x.data(), same.data(), negated.data(), handed.data()});
  EXPECT_EQ(same, x);
  EXPECT_EQ(handed, x);
  for (int i = 0; i < 30; ++i)
    EXPECT_EQ(negated[i], -x[i]);
}

TYPED_TEST(ReferenceKernels, ConstantsAndMath) {
  using T = TypeParam;
  auto kernels = this->compile(R"(
    func.func private @add(%x: tensor<3xFT>) -> tensor<3xFT> attributes {rubato.kernel} {
      %c = arith.constant dense<[1.0, 2.0, 4.0]> : tensor<3xFT>
      %0 = arith.addf %x, %c : tensor<3xFT>
      return %0 : tensor<3xFT>
    }
    func.func private @math(%x: tensor<9xFT>) -> (tensor<9xFT>, tensor<9xFT>, tensor<9xFT>, tensor<9xFT>, tensor<9xFT>, tensor<9xFT>, tensor<9xFT>, tensor<9xFT>) attributes {rubato.kernel} {
      %a = math.absf %x : tensor<9xFT>
      %0 = math.exp %x : tensor<9xFT>
      %1 = math.log %a : tensor<9xFT>
      %2 = math.tanh %x : tensor<9xFT>
      %3 = math.erf %x : tensor<9xFT>
      %4 = math.sqrt %a : tensor<9xFT>
      %5 = math.rsqrt %a : tensor<9xFT>
      %6 = math.exp2 %x : tensor<9xFT>
      %7 = math.powf %a, %x : tensor<9xFT>
      return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<9xFT>, tensor<9xFT>, tensor<9xFT>, tensor<9xFT>, tensor<9xFT>, tensor<9xFT>, tensor<9xFT>, tensor<9xFT>
    })");
  std::vector<T> x = numbers<T>(9, 5), sum(3);
  kernels->call("add", {x.data(), sum.data()}, 0, 3);
  expectNear(sum, {x[0] + 1.0, x[1] + 2.0, x[2] + 4.0});
  std::vector<std::vector<T>> y(8, std::vector<T>(9));
  std::vector<void *> arguments = {x.data()};
  for (auto &part : y)
    arguments.push_back(part.data());
  kernels->call("math", arguments, 0, 9);
  for (int i = 0; i < 9; ++i) {
    double v = x[i], a = std::abs(v);
    double want[] = {std::exp(v),  std::log(a),   std::tanh(v),
                     std::erf(v),  std::sqrt(a),  1 / std::sqrt(a),
                     std::exp2(v), std::pow(a, v)};
    for (int j = 0; j < 8; ++j)
      EXPECT_NEAR(y[j][i], want[j], tolerance<T>() * (1 + std::abs(want[j])))
          << "function " << j << " of " << v;
  }
  if (std::is_same_v<T, float>)
    for (const std::string &name : kernels->undefinedSymbols())
      EXPECT_TRUE(name == "memcpy" || name == "memset" || name.empty())
          << name << " must not be called by a kernel";
}

TEST(ReferenceObject, SameBytesEveryTime) {
  std::string text = R"(
    func.func private @f(%x: tensor<9x4xf32>) -> tensor<4xf32> attributes {rubato.kernel} {
      %0 = nn.sigmoid %x : tensor<9x4xf32>
      %1 = nn.reduce sum %0 dims [0] : tensor<9x4xf32> -> tensor<4xf32>
      return %1 : tensor<4xf32>
    })";
  CompiledKernels first(text), second(text);
  ASSERT_TRUE(first.ok()) << first.error;
  EXPECT_EQ(first.object, second.object);
}

} // namespace
