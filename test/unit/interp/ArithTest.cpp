// arith and math on scalars and tensors, against hand-made numbers and the C
// library.
#include "Programs.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace rubato::test;

namespace {

using Numbers = std::vector<double>;

/// `op` on two integers of `type`.
Numbers integers(const std::string &op, int64_t a, int64_t b,
                 const std::string &type, const std::string &result = "",
                 std::string *errors = nullptr) {
  std::string full = op == "math.absi" ? "%a" : "%a, %b";
  return numbersOf("%a = arith.constant " + std::to_string(a) + " : " + type +
                       "\n%b = arith.constant " + std::to_string(b) + " : " +
                       type + "\n%r = " + op + " " + full + " : " + type,
                   result.empty() ? type : result, errors);
}

/// `op` on floats, each a literal.
Numbers floats(const std::string &op, const std::vector<std::string> &literals,
               const std::string &type, const std::string &result = "") {
  std::string text, list;
  for (const std::string &literal : literals) {
    std::string name = "%x" + std::to_string(list.size());
    text += name + " = arith.constant " + literal + " : " + type + "\n";
    list += (list.empty() ? "" : ", ") + name;
  }
  return numbersOf(text + "%r = " + op + " " + list + " : " + type,
                   result.empty() ? type : result);
}

TEST(Integers, WrapAroundTheirWidth) {
  EXPECT_EQ(integers("arith.addi", INT64_MAX, 1, "i64"),
            Numbers{double(INT64_MIN)});
  EXPECT_EQ(integers("arith.addi", 100, 100, "i8"), Numbers{-56});
  EXPECT_EQ(integers("arith.subi", -128, 1, "i8"), Numbers{127});
  EXPECT_EQ(integers("arith.muli", 7, -6, "i32"), Numbers{-42});
  EXPECT_EQ(integers("arith.shli", 1, 7, "i8"), Numbers{-128});
}

TEST(Integers, DivideAsTheirNameSays) {
  EXPECT_EQ(integers("arith.divsi", -7, 2, "i64"), Numbers{-3});
  EXPECT_EQ(integers("arith.remsi", -7, 2, "i64"), Numbers{-1});
  EXPECT_EQ(integers("arith.floordivsi", -7, 2, "i64"), Numbers{-4});
  EXPECT_EQ(integers("arith.floordivsi", 7, 2, "i64"), Numbers{3});
  EXPECT_EQ(integers("arith.ceildivsi", 7, 2, "i64"), Numbers{4});
  EXPECT_EQ(integers("arith.ceildivsi", -7, 2, "i64"), Numbers{-3});
  EXPECT_EQ(integers("arith.divui", -2, 16, "i8"), Numbers{15});
  EXPECT_EQ(integers("arith.remui", -2, 16, "i8"), Numbers{14});
  EXPECT_EQ(integers("arith.ceildivui", -2, 16, "i8"), Numbers{16});
  EXPECT_EQ(integers("arith.shrsi", -128, 3, "i8"), Numbers{-16});
  EXPECT_EQ(integers("arith.shrui", -128, 3, "i8"), Numbers{16});
}

TEST(Integers, CompareSignedAndUnsigned) {
  EXPECT_EQ(integers("arith.cmpi slt,", -1, 1, "i64", "i1"), Numbers{1});
  EXPECT_EQ(integers("arith.cmpi ult,", -1, 1, "i64", "i1"), Numbers{0});
  EXPECT_EQ(integers("arith.cmpi uge,", -1, 1, "i8", "i1"), Numbers{1});
  EXPECT_EQ(integers("arith.cmpi slt,", -1, 0, "i1", "i1"), Numbers{1});
  EXPECT_EQ(integers("arith.maxsi", -1, 1, "i64"), Numbers{1});
  EXPECT_EQ(integers("arith.maxui", -1, 1, "i64"), Numbers{-1});
  EXPECT_EQ(integers("arith.minsi", -1, 1, "i8"), Numbers{-1});
  EXPECT_EQ(integers("arith.minui", -1, 1, "i8"), Numbers{1});
  EXPECT_EQ(integers("math.absi", -5, 0, "i64"), Numbers{5});
}

TEST(Integers, UndefinedResultsAreErrors) {
  auto error = [](const std::string &op, int64_t a, int64_t b) {
    std::string errors;
    EXPECT_TRUE(integers(op, a, b, "i64", "", &errors).empty());
    return errors;
  };
  for (const char *op :
       {"arith.divsi", "arith.divui", "arith.remsi", "arith.remui",
        "arith.floordivsi", "arith.ceildivsi", "arith.ceildivui"})
    EXPECT_EQ(error(op, 3, 0),
              "'" + std::string(op) + "' op division by zero\n");
  EXPECT_NE(error("arith.divsi", INT64_MIN, -1).find("does not fit"),
            std::string::npos);
  EXPECT_NE(error("arith.shli", 1, 64).find("shift"), std::string::npos);
}

TEST(Integers, Convert) {
  auto cast = [](const std::string &op, const std::string &value,
                 const std::string &from, const std::string &to) {
    return numbersOf("%a = arith.constant " + value + " : " + from +
                         "\n%r = arith." + op + " %a : " + from + " to " + to,
                     to);
  };
  EXPECT_EQ(cast("extsi", "-1", "i1", "i64"), Numbers{-1});
  EXPECT_EQ(cast("extui", "-1", "i1", "i64"), Numbers{1});
  EXPECT_EQ(cast("extui", "-1", "i8", "i64"), Numbers{255});
  EXPECT_EQ(cast("trunci", "511", "i64", "i8"), Numbers{-1});
  EXPECT_EQ(cast("sitofp", "-3", "i64", "f32"), Numbers{-3});
  EXPECT_EQ(cast("sitofp", "16777217", "i64", "f32"), Numbers{16777216});
  EXPECT_EQ(cast("uitofp", "-1", "i8", "f64"), Numbers{255});
  EXPECT_EQ(cast("fptosi", "-2.75", "f64", "i64"), Numbers{-2});
  EXPECT_EQ(cast("fptoui", "200.5", "f32", "i8"), Numbers{-56});
  EXPECT_EQ(cast("fptosi", "1.0e+10", "f64", "i32"), Numbers{});
  EXPECT_EQ(cast("fptosi", "0x7FF8000000000000", "f64", "i64"), Numbers{});
  EXPECT_EQ(cast("index_cast", "-1", "i64", "index"), Numbers{-1});
  EXPECT_EQ(cast("bitcast", "1.0", "f32", "i32"), Numbers{0x3F800000});
  EXPECT_EQ(cast("bitcast", "1065353216", "i32", "f32"), Numbers{1});
  EXPECT_EQ(cast("truncf", "0.1", "f64", "f32"), Numbers{double(0.1f)});
  EXPECT_EQ(cast("extf", "0.1", "f32", "f64"), Numbers{double(0.1f)});
}

TEST(Integers, ExtendedResultsHaveTwoHalves) {
  auto halves = [](const std::string &op, const std::string &type) {
    return numbersOf("%a = arith.constant -2 : i8\n"
                     "%b = arith.constant 3 : i8\n"
                     "%l, %h = arith." +
                         op + " %a, %b : " + type +
                         "\n%r = tensor.from_elements %l, %h : tensor<2xi8>",
                     "tensor<2xi8>");
  };
  EXPECT_EQ(halves("mului_extended", "i8"), (Numbers{-6, 2})); // 762
  EXPECT_EQ(halves("mulsi_extended", "i8"), (Numbers{-6, -1}));
}

TEST(Floats, AreComputedInTheirType) {
  EXPECT_EQ(floats("arith.addf", {"0.1", "0.2"}, "f32"),
            Numbers{double(0.1f + 0.2f)});
  EXPECT_EQ(floats("arith.addf", {"0.1", "0.2"}, "f64"), Numbers{0.1 + 0.2});
  EXPECT_EQ(floats("arith.divf", {"1.0", "3.0"}, "f32"),
            Numbers{double(1.0f / 3.0f)});
  EXPECT_EQ(floats("arith.remf", {"-7.5", "2.0"}, "f64"), Numbers{-1.5});
  EXPECT_EQ(floats("math.fma", {"0.1", "10.0", "-1.0"}, "f64"),
            Numbers{std::fma(0.1, 10.0, -1.0)});
  EXPECT_NE(std::fma(0.1, 10.0, -1.0), 0.0);
}

TEST(Floats, ExtremesTreatNaNAsTheirNameSays) {
  const char *nan = "0x7FF8000000000000";
  EXPECT_TRUE(std::isnan(floats("arith.maximumf", {nan, "1.0"}, "f64").at(0)));
  EXPECT_TRUE(std::isnan(floats("arith.minimumf", {"1.0", nan}, "f64").at(0)));
  EXPECT_EQ(floats("arith.maxnumf", {nan, "1.0"}, "f64"), Numbers{1});
  EXPECT_EQ(floats("arith.minnumf", {"1.0", nan}, "f64"), Numbers{1});
  EXPECT_FALSE(
      std::signbit(floats("arith.maximumf", {"-0.0", "0.0"}, "f64").at(0)));
  EXPECT_TRUE(
      std::signbit(floats("arith.minimumf", {"0.0", "-0.0"}, "f64").at(0)));
  EXPECT_EQ(floats("arith.cmpf ogt,", {nan, "1.0"}, "f64", "i1"), Numbers{0});
  EXPECT_EQ(floats("arith.cmpf ugt,", {nan, "1.0"}, "f64", "i1"), Numbers{1});
  EXPECT_EQ(floats("arith.cmpf one,", {nan, "1.0"}, "f64", "i1"), Numbers{0});
  EXPECT_EQ(floats("arith.cmpf une,", {nan, "1.0"}, "f64", "i1"), Numbers{1});
  EXPECT_EQ(floats("arith.cmpf uno,", {nan, "1.0"}, "f64", "i1"), Numbers{1});
  EXPECT_EQ(floats("arith.cmpf ole,", {"1.0", "1.0"}, "f64", "i1"), Numbers{1});
}

TEST(Floats, FunctionsAreThoseOfTheLibrary) {
  struct {
    const char *name;
    double (*wide)(double);
    float (*narrow)(float);
  } functions[] = {
      {"exp", std::exp, std::exp},       {"exp2", std::exp2, std::exp2},
      {"expm1", std::expm1, std::expm1}, {"log", std::log, std::log},
      {"log2", std::log2, std::log2},    {"log10", std::log10, std::log10},
      {"log1p", std::log1p, std::log1p}, {"sqrt", std::sqrt, std::sqrt},
      {"cbrt", std::cbrt, std::cbrt},    {"sin", std::sin, std::sin},
      {"cos", std::cos, std::cos},       {"tan", std::tan, std::tan},
      {"asin", std::asin, std::asin},    {"acos", std::acos, std::acos},
      {"atan", std::atan, std::atan},    {"sinh", std::sinh, std::sinh},
      {"cosh", std::cosh, std::cosh},    {"tanh", std::tanh, std::tanh},
      {"asinh", std::asinh, std::asinh}, {"atanh", std::atanh, std::atanh},
      {"erf", std::erf, std::erf},       {"erfc", std::erfc, std::erfc},
      {"floor", std::floor, std::floor}, {"ceil", std::ceil, std::ceil},
      {"round", std::round, std::round}, {"trunc", std::trunc, std::trunc},
      {"absf", std::fabs, std::fabs}};
  for (auto [name, wide, narrow] : functions) {
    std::string op = "math." + std::string(name);
    EXPECT_EQ(floats(op, {"0.7"}, "f64"), Numbers{wide(0.7)}) << name;
    EXPECT_EQ(floats(op, {"0.7"}, "f32"), Numbers{double(narrow(0.7f))})
        << name;
  }
  EXPECT_EQ(floats("math.rsqrt", {"4.0"}, "f64"), Numbers{0.5});
  EXPECT_EQ(floats("math.powf", {"2.0", "0.5"}, "f64"), Numbers{std::sqrt(2)});
  EXPECT_EQ(floats("math.roundeven", {"2.5"}, "f64"), Numbers{2});
  EXPECT_EQ(floats("math.round", {"2.5"}, "f64"), Numbers{3});
  EXPECT_EQ(floats("math.copysign", {"2.5", "-1.0"}, "f64"), Numbers{-2.5});
}

TEST(Integers, HavePowersAndBits) {
  EXPECT_EQ(integers("math.ipowi", -3, 5, "i64"), Numbers{-243});
  EXPECT_EQ(integers("math.ipowi", 3, 5, "i8"), Numbers{-13});
  EXPECT_EQ(integers("math.ipowi", -1, -3, "i64"), Numbers{-1});
  EXPECT_EQ(integers("math.ipowi", 2, -3, "i64"), Numbers{0});
  EXPECT_EQ(integers("math.ipowi", 0, -3, "i64"), Numbers{});
  auto bits = [](const std::string &op) {
    return numbersOf(
        "%a = arith.constant 40 : i8\n%r = math." + op + " %a : i8", "i8");
  };
  EXPECT_EQ(bits("ctpop"), Numbers{2});
  EXPECT_EQ(bits("ctlz"), Numbers{2});
  EXPECT_EQ(bits("cttz"), Numbers{3});
  EXPECT_EQ(numbersOf("%a = arith.constant 2.0 : f32\n"
                      "%n = arith.constant -3 : i32\n"
                      "%r = math.fpowi %a, %n : f32, i32",
                      "f32"),
            Numbers{0.125});
}

TEST(Elementwise, WorksOnTensors) {
  EXPECT_EQ(numbersOf("%a = arith.constant dense<[1.0, 2.0, 3.0]> : "
                      "tensor<3xf32>\n"
                      "%b = arith.constant dense<2.0> : tensor<3xf32>\n"
                      "%c = arith.cmpf oge, %a, %b : tensor<3xf32>\n"
                      "%n = arith.negf %a : tensor<3xf32>\n"
                      "%r = arith.select %c, %a, %n : tensor<3xi1>, "
                      "tensor<3xf32>",
                      "tensor<3xf32>"),
            (Numbers{-1, 2, 3}));
  EXPECT_EQ(numbersOf("%a = arith.constant dense<[5, 6]> : tensor<2xi64>\n"
                      "%b = arith.constant dense<[7, 8]> : tensor<2xi64>\n"
                      "%c = arith.constant false\n"
                      "%r = arith.select %c, %a, %b : tensor<2xi64>",
                      "tensor<2xi64>"),
            (Numbers{7, 8}));
}

} // namespace
