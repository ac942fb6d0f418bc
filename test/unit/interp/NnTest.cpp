// The nn dialect against hand-made numbers and closed forms.
#include "Programs.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace rubato::test;
using rubato::interp::Value;

namespace {

using Numbers = std::vector<double>;

const std::string kMatrix =
    "%a = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : "
    "tensor<2x3xf64>\n";
const std::string kLabels =
    "%y = arith.constant dense<[2, 0]> : tensor<2xi64>\n";

void expectNear(const Numbers &got, const Numbers &want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i != got.size(); ++i)
    EXPECT_NEAR(got[i], want[i], 1e-14) << "element " << i;
}

TEST(Nn, ProductsOfAllTranspositions) {
  // a·aᵀ and aᵀ·a, once through each pair of flags.
  Numbers outer = {14, 32, 32, 77};
  Numbers inner = {17, 22, 27, 22, 29, 36, 27, 36, 45};
  std::string t = "%t = nn.transpose %a perm [1, 0] : tensor<2x3xf64> -> "
                  "tensor<3x2xf64>\n";
  auto product = [&](const char *operands, const char *types,
                     const char *result) {
    return numbersOf(kMatrix + t + "%r = nn.matmul " + operands + " : " +
                         types + " -> " + result,
                     result);
  };
  EXPECT_EQ(
      product("%a, %t", "tensor<2x3xf64>, tensor<3x2xf64>", "tensor<2x2xf64>"),
      outer);
  EXPECT_EQ(product("%a, %a {transpose_rhs}",
                    "tensor<2x3xf64>, tensor<2x3xf64>", "tensor<2x2xf64>"),
            outer);
  EXPECT_EQ(product("%t, %t {transpose_lhs}",
                    "tensor<3x2xf64>, tensor<3x2xf64>", "tensor<2x2xf64>"),
            outer);
  EXPECT_EQ(product("%t, %a {transpose_lhs, transpose_rhs}",
                    "tensor<3x2xf64>, tensor<2x3xf64>", "tensor<2x2xf64>"),
            outer);
  EXPECT_EQ(product("%a, %a {transpose_lhs}",
                    "tensor<2x3xf64>, tensor<2x3xf64>", "tensor<3x3xf64>"),
            inner);
}

TEST(Nn, ShapesChange) {
  EXPECT_EQ(numbersOf(kMatrix + "%r = nn.transpose %a perm [1, 0] : "
                                "tensor<2x3xf64> -> tensor<3x2xf64>",
                      "tensor<3x2xf64>"),
            (Numbers{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(numbersOf(kMatrix + "%r = nn.reshape %a : tensor<2x3xf64> -> "
                                "tensor<6xf64>",
                      "tensor<6xf64>"),
            (Numbers{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(numbersOf("%b = arith.constant dense<[7, 8]> : tensor<2xi64>\n"
                      "%r = nn.broadcast %b dims [1] : tensor<2xi64> -> "
                      "tensor<3x2xi64>",
                      "tensor<3x2xi64>"),
            (Numbers{7, 8, 7, 8, 7, 8}));
  EXPECT_EQ(numbersOf("%b = arith.constant dense<[7, 8]> : tensor<2xi64>\n"
                      "%r = nn.broadcast %b dims [0] : tensor<2xi64> -> "
                      "tensor<2x2xi64>",
                      "tensor<2x2xi64>"),
            (Numbers{7, 7, 8, 8}));
}

TEST(Nn, SumsRunFromFirstToLast) {
  EXPECT_EQ(numbersOf(kMatrix + "%r = nn.reduce sum %a dims [0] : "
                                "tensor<2x3xf64> -> tensor<3xf64>",
                      "tensor<3xf64>"),
            (Numbers{5, 7, 9}));
  EXPECT_EQ(numbersOf(kMatrix + "%r = nn.reduce sum %a dims [1] : "
                                "tensor<2x3xf64> -> tensor<2xf64>",
                      "tensor<2xf64>"),
            (Numbers{6, 15}));
  // In f32, 2^24 + 1 + 1 loses both ones and 1 + 1 + 2^24 none.
  EXPECT_EQ(numbersOf("%b = arith.constant dense<[[16777216.0, 1.0, 1.0], "
                      "[1.0, 1.0, 16777216.0]]> : tensor<2x3xf32>\n"
                      "%r = nn.reduce sum %b dims [1] : tensor<2x3xf32> -> "
                      "tensor<2xf32>",
                      "tensor<2xf32>"),
            (Numbers{16777216, 16777218}));
  EXPECT_EQ(numbersOf("%b = arith.constant dense<[100, 100]> : tensor<2xi8>\n"
                      "%r = nn.reduce sum %b dims [0] : tensor<2xi8> -> "
                      "tensor<i8>",
                      "tensor<i8>"),
            Numbers{-56});
}

TEST(Nn, Activations) {
  std::string b = "%b = arith.constant dense<[-1.0, -0.0, 2.0, "
                  "0x7FF8000000000000]> : tensor<4xf64>\n";
  Numbers relu =
      numbersOf(b + "%r = nn.relu %b : tensor<4xf64>", "tensor<4xf64>");
  ASSERT_EQ(relu.size(), 4u);
  EXPECT_EQ(relu[0], 0);
  EXPECT_FALSE(std::signbit(relu[1]));
  EXPECT_EQ(relu[2], 2);
  EXPECT_TRUE(std::isnan(relu[3]));
  Numbers sigmoid =
      numbersOf(b + "%r = nn.sigmoid %b : tensor<4xf64>", "tensor<4xf64>");
  ASSERT_EQ(sigmoid.size(), 4u);
  EXPECT_NEAR(sigmoid[0], (1 + std::tanh(-0.5)) / 2, 1e-15);
  EXPECT_EQ(sigmoid[1], 0.5);
}

TEST(Nn, SoftmaxAlongEitherAxis) {
  // Neighbours differ by 1 along axis 1 and by 3 along axis 0.
  double e = std::exp(1), row = 1 + e + e * e, cube = std::exp(3);
  double s[] = {1 / row, e / row, e * e / row};
  double low = 1 / (1 + cube), high = cube / (1 + cube);
  expectNear(numbersOf(kMatrix + "%r = nn.softmax %a axis 1 : tensor<2x3xf64>",
                       "tensor<2x3xf64>"),
             {s[0], s[1], s[2], s[0], s[1], s[2]});
  expectNear(numbersOf(kMatrix + "%r = nn.softmax %a axis 0 : tensor<2x3xf64>",
                       "tensor<2x3xf64>"),
             {low, low, low, high, high, high});
  expectNear(
      numbersOf(kMatrix + "%r = nn.log_softmax %a axis 0 : tensor<2x3xf64>",
                "tensor<2x3xf64>"),
      {std::log(low), std::log(low), std::log(low), std::log(high),
       std::log(high), std::log(high)});
}

TEST(Nn, CrossEntropyAndItsGradient) {
  double e = std::exp(1), row = 1 + e + e * e;
  double s[] = {1 / row, e / row, e * e / row};
  expectNear(numbersOf(kMatrix + kLabels +
                           "%r = nn.softmax_cross_entropy %a, %y : "
                           "tensor<2x3xf64>, tensor<2xi64> -> tensor<2xf64>",
                       "tensor<2xf64>"),
             {-std::log(s[2]), -std::log(s[0])});
  expectNear(
      numbersOf(kMatrix + kLabels +
                    "%g = arith.constant dense<[1.0, 0.5]> : tensor<2xf64>\n"
                    "%r = nn.softmax_cross_entropy_grad %a, %y, %g : "
                    "tensor<2x3xf64>, tensor<2xi64>, tensor<2xf64>",
                "tensor<2x3xf64>"),
      {s[0], s[1], s[2] - 1, (s[0] - 1) / 2, s[1] / 2, s[2] / 2});
}

TEST(Nn, LargeLogitsDoNotOverflow) {
  Numbers loss = numbersOf(
      "%x = arith.constant dense<[[1000.0, 0.0]]> : tensor<1x2xf32>\n"
      "%y = arith.constant dense<[1]> : tensor<1xi64>\n"
      "%r = nn.softmax_cross_entropy %x, %y : tensor<1x2xf32>, tensor<1xi64> "
      "-> tensor<1xf32>",
      "tensor<1xf32>");
  EXPECT_EQ(loss, Numbers{1000});
}

TEST(Nn, LabelsOutsideAreErrors) {
  std::string errors;
  numbersOf(kMatrix + "%y = arith.constant dense<[2, 3]> : tensor<2xi64>\n"
                      "%r = nn.softmax_cross_entropy %a, %y : tensor<2x3xf64>, "
                      "tensor<2xi64> -> tensor<2xf64>",
            "tensor<2xf64>", &errors);
  EXPECT_EQ(errors, "'nn.softmax_cross_entropy' op label 3 of row 1 lies "
                    "outside its 3 classes\n");
}

TEST(Nn, CorrectRowsAreCounted) {
  // Right; right but without weight; the first of equals; wrong; NaN.
  EXPECT_EQ(
      numbersOf("%s = arith.constant dense<[[1.0, 2.0], [1.0, 2.0], [3.0, 3.0],"
                " [1.0, 2.0], [0x7FC00000, 1.0]]> : tensor<5x2xf32>\n"
                "%y = arith.constant dense<[1, 1, 0, 0, 1]> : tensor<5xi64>\n"
                "%w = arith.constant dense<[1.0, 0.0, 1.0, 1.0, 1.0]> : "
                "tensor<5xf32>\n"
                "%r = nn.count_correct %s, %y, %w : tensor<5x2xf32>, "
                "tensor<5xi64>, tensor<5xf32> -> tensor<i64>",
                "tensor<i64>"),
      Numbers{2});
}

TEST(Nn, FlatVectorsAreUnpackedAndPacked) {
  Program program(R"(
    nn.layout @params [#nn.slot<"b" : tensor<2xf32> at 0 parameter>,
                       #nn.slot<"w" : tensor<2x2xf32> at 2 parameter>]
    func.func @f(%x: tensor<6xf32>) -> (tensor<2x2xf32>, tensor<6xf32>) {
      %w = nn.unpack %x @params["w"] : tensor<6xf32> -> tensor<2x2xf32>
      %b = nn.unpack %x @params["b"] : tensor<6xf32> -> tensor<2xf32>
      %n = arith.negf %b : tensor<2xf32>
      %p = nn.pack @params(%n, %w) : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<6xf32>
      return %w, %p : tensor<2x2xf32>, tensor<6xf32>
    })");
  auto results = program.call(
      Value::of<float>(program.type("tensor<6xf32>"), {1, 2, 3, 4, 5, 6}));
  ASSERT_EQ(results.size(), 2u) << program.errors;
  EXPECT_EQ(doubles(results[0]), (Numbers{3, 4, 5, 6}));
  EXPECT_EQ(doubles(results[1]), (Numbers{-1, -2, 3, 4, 5, 6}));
}

TEST(Gsync, ZeroIsZero) {
  EXPECT_EQ(numbersOf("%r = gsync.zero : tensor<2xi64>", "tensor<2xi64>"),
            (Numbers{0, 0}));
}

} // namespace
