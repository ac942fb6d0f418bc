// tensor and linalg operations against hand-made numbers.
#include "Programs.h"

#include "gtest/gtest.h"

using namespace rubato::test;

namespace {

using Numbers = std::vector<double>;

/// What `body` makes of %a = [[0, 1, 2], [3, 4, 5]] in f64.
Numbers ofMatrix(const std::string &body, const std::string &type,
                 std::string *errors = nullptr) {
  return numbersOf("%a = arith.constant dense<[[0.0, 1.0, 2.0], "
                   "[3.0, 4.0, 5.0]]> : tensor<2x3xf64>\n"
                   "%0 = arith.constant 0 : index\n"
                   "%1 = arith.constant 1 : index\n"
                   "%2 = arith.constant 2 : index\n" +
                       body,
                   type, errors);
}

TEST(Tensors, AreReadAndMade) {
  EXPECT_EQ(ofMatrix("%r = tensor.extract %a[%1, %2] : tensor<2x3xf64>", "f64"),
            Numbers{5});
  EXPECT_EQ(ofMatrix("%x = arith.constant 9.0 : f64\n"
                     "%r = tensor.insert %x into %a[%1, %0] : tensor<2x3xf64>",
                     "tensor<2x3xf64>"),
            (Numbers{0, 1, 2, 9, 4, 5}));
  EXPECT_EQ(ofMatrix("%r = tensor.from_elements %2, %0 : tensor<2xindex>",
                     "tensor<2xindex>"),
            (Numbers{2, 0}));
  EXPECT_EQ(
      ofMatrix("%r = tensor.splat %2 : tensor<2xindex>", "tensor<2xindex>"),
      (Numbers{2, 2}));
  EXPECT_EQ(ofMatrix("%r = tensor.dim %a, %1 : tensor<2x3xf64>", "index"),
            Numbers{3});
  EXPECT_EQ(
      ofMatrix("%r = tensor.empty() : tensor<2xf32>", "tensor<2xf32>").size(),
      2u);
}

TEST(Tensors, IndicesOutsideAreErrors) {
  std::string errors;
  ofMatrix("%r = tensor.extract %a[%2, %0] : tensor<2x3xf64>", "f64", &errors);
  EXPECT_EQ(errors,
            "'tensor.extract' op index 2 lies outside a dimension of 2\n");
  ofMatrix("%r = tensor.extract_slice %a[%1, %2] [2, 1] [1, 1] : "
           "tensor<2x3xf64> to tensor<2x1xf64>",
           "tensor<2x1xf64>", &errors);
  EXPECT_NE(errors.find("lies outside dimension 0"), std::string::npos)
      << errors;
}

TEST(Tensors, AreReshaped) {
  EXPECT_EQ(ofMatrix("%c = tensor.collapse_shape %a [[0, 1]] : tensor<2x3xf64> "
                     "into tensor<6xf64>\n"
                     "%r = tensor.expand_shape %c [[0, 1]] output_shape [3, 2] "
                     ": tensor<6xf64> into tensor<3x2xf64>",
                     "tensor<3x2xf64>"),
            (Numbers{0, 1, 2, 3, 4, 5}));
}

TEST(Tensors, AreCutAndJoined) {
  EXPECT_EQ(ofMatrix("%r = tensor.extract_slice %a[0, %1] [2, 2] [1, 1] : "
                     "tensor<2x3xf64> to tensor<2x2xf64>",
                     "tensor<2x2xf64>"),
            (Numbers{1, 2, 4, 5}));
  EXPECT_EQ(ofMatrix("%r = tensor.extract_slice %a[1, 0] [1, 2] [1, %2] : "
                     "tensor<2x3xf64> to tensor<2xf64>",
                     "tensor<2xf64>"),
            (Numbers{3, 5}));
  EXPECT_EQ(ofMatrix("%s = arith.constant dense<[7.0, 8.0]> : tensor<2xf64>\n"
                     "%r = tensor.insert_slice %s into %a[0, %2] [2, 1] [1, 1] "
                     ": tensor<2xf64> into tensor<2x3xf64>",
                     "tensor<2x3xf64>"),
            (Numbers{0, 1, 7, 3, 4, 8}));
  EXPECT_EQ(ofMatrix("%s = arith.constant dense<9.0> : tensor<2x1xf64>\n"
                     "%r = tensor.concat dim(1) %s, %a : (tensor<2x1xf64>, "
                     "tensor<2x3xf64>) -> tensor<2x4xf64>",
                     "tensor<2x4xf64>"),
            (Numbers{9, 0, 1, 2, 9, 3, 4, 5}));
  EXPECT_EQ(ofMatrix("%x = arith.constant 9.0 : f64\n"
                     "%r = tensor.pad %a low[0, 1] high[1, 0] {\n"
                     "^bb0(%i: index, %j: index):\n"
                     "tensor.yield %x : f64\n"
                     "} : tensor<2x3xf64> to tensor<3x4xf64>",
                     "tensor<3x4xf64>"),
            (Numbers{9, 0, 1, 2, 9, 3, 4, 5, 9, 9, 9, 9}));
}

TEST(Linalg, NamedOperationsHaveABody) {
  EXPECT_EQ(ofMatrix("%z = arith.constant 0.0 : f64\n"
                     "%e = tensor.empty() : tensor<2x2xf64>\n"
                     "%i = linalg.fill ins(%z : f64) outs(%e : "
                     "tensor<2x2xf64>) -> tensor<2x2xf64>\n"
                     "%b = arith.constant dense<[[1.0, 0.0], [0.0, 1.0], "
                     "[1.0, 1.0]]> : tensor<3x2xf64>\n"
                     "%r = linalg.matmul ins(%a, %b : tensor<2x3xf64>, "
                     "tensor<3x2xf64>) outs(%i : tensor<2x2xf64>) -> "
                     "tensor<2x2xf64>",
                     "tensor<2x2xf64>"),
            (Numbers{2, 3, 8, 9}));
}

TEST(Linalg, WindowsOverlap) {
  EXPECT_EQ(numbersOf("%a = arith.constant dense<[1.0, 2.0, 4.0, 8.0]> : "
                      "tensor<4xf32>\n"
                      "%k = arith.constant dense<[1.0, -1.0]> : tensor<2xf32>\n"
                      "%i = arith.constant dense<0.0> : tensor<3xf32>\n"
                      "%r = linalg.conv_1d ins(%a, %k : tensor<4xf32>, "
                      "tensor<2xf32>) outs(%i : tensor<3xf32>) -> "
                      "tensor<3xf32>",
                      "tensor<3xf32>"),
            (Numbers{-1, -2, -4}));
}

TEST(Linalg, BodiesReadIndicesAndOuterValues) {
  EXPECT_EQ(
      ofMatrix("%c = arith.constant 10.0 : f64\n"
               "%e = tensor.empty() : tensor<3x2xf64>\n"
               "%r = linalg.generic {indexing_maps = ["
               "affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], "
               "iterator_types = [\"parallel\", \"parallel\"]} "
               "ins(%a : tensor<2x3xf64>) outs(%e : tensor<3x2xf64>) {\n"
               "^bb0(%x: f64, %y: f64):\n"
               "%i = linalg.index 0 : index\n"
               "%n = arith.index_cast %i : index to i64\n"
               "%m = arith.sitofp %n : i64 to f64\n"
               "%s = arith.mulf %m, %c : f64\n"
               "%t = arith.addf %s, %x : f64\n"
               "linalg.yield %t : f64\n"
               "} -> tensor<3x2xf64>",
               "tensor<3x2xf64>"),
      (Numbers{0, 3, 11, 14, 22, 25}));
}

} // namespace
