// Values: storage, comparison, hashing, printing.
#include "Programs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"

#include "gtest/gtest.h"

#include <cmath>
#include <set>

using namespace rubato::test;
using rubato::interp::Value;
using rubato::interp::whyUnsupported;

namespace {

class Values : public testing::Test {
protected:
  mlir::Type type(const char *text) { return program.type(text); }
  /// The value of an attribute given as text, printed.
  std::string constant(const std::string &attribute) {
    Program made("func.func @f() { %r = arith.constant " + attribute +
                 "\n return }");
    auto op = *made.function().getOps<mlir::arith::ConstantOp>().begin();
    auto value = Value::fromAttr(op.getValue());
    return succeeded(value) ? value->str() : "failed";
  }
  Program program{""};
};

TEST_F(Values, IntegersKeepTheirWidth) {
  EXPECT_EQ(Value::integer(type("i8"), 200).asInt(), -56);
  EXPECT_EQ(Value::integer(type("i1"), -1).asInt(), 1);
  EXPECT_EQ(Value::integer(type("i64"), INT64_MIN).asInt(), INT64_MIN);
  EXPECT_EQ(Value::integer(type("index"), -3).asInt(), -3);
}

TEST_F(Values, FloatsAreRoundedToTheirType) {
  EXPECT_EQ(Value::real(type("f32"), 0.1).asFloat(), double(0.1f));
  EXPECT_EQ(Value::real(type("f64"), 0.1).asFloat(), 0.1);
}

TEST_F(Values, PrintEnoughDigits) {
  EXPECT_EQ(Value::real(type("f64"), 0.1).str(), "0.10000000000000001");
  EXPECT_EQ(Value::real(type("f32"), 0.1).str(), "0.100000001");
  EXPECT_EQ(Value::integer(type("i1"), 1).str(), "true");
  EXPECT_EQ(Value::integer(type("i64"), -7).str(), "-7");
  EXPECT_EQ(Value::opaque(type("tensor<2xf32>")).str(), "opaque tensor<2xf32>");
  EXPECT_EQ(Value::handle(type("i64"), 2, 9).str(), "handle 2:9");
  auto three = Value::of<int64_t>(type("tensor<3xi64>"), {1, 2, 3});
  EXPECT_EQ(three.str(), "[1, 2, 3] : tensor<3xi64>");
  EXPECT_EQ(three.str(2), "[1, 2, …] : tensor<3xi64>");
  EXPECT_EQ(Value::of<int64_t>(type("tensor<i64>"), {5}).str(), "5");
}

TEST_F(Values, CompareBitByBit) {
  auto f64 = type("f64");
  EXPECT_EQ(Value::real(f64, NAN), Value::real(f64, NAN));
  EXPECT_FALSE(Value::real(f64, 0.0) == Value::real(f64, -0.0));
  EXPECT_FALSE(Value::integer(type("i64"), 1) ==
               Value::integer(type("i32"), 1));
  auto a = Value::of<float>(type("tensor<2xf32>"), {1, 2});
  EXPECT_EQ(a, Value::of<float>(type("tensor<2xf32>"), {1, 2}));
  EXPECT_FALSE(a == Value::of<float>(type("tensor<2xf32>"), {1, 3}));
  EXPECT_FALSE(a == Value::opaque(a.type()));
  EXPECT_EQ(Value::opaque(a.type()), Value::opaque(a.type()));
  EXPECT_EQ(Value::handle(f64, 1, 2), Value::handle(f64, 1, 2));
  EXPECT_FALSE(Value::handle(f64, 1, 2) == Value::handle(f64, 2, 2));
  EXPECT_EQ(Value(), Value());
}

TEST_F(Values, HashesTellThemApartAndStay) {
  auto vector = type("tensor<2xf32>");
  std::vector<Value> values = {
      Value(),
      Value::opaque(vector),
      Value::opaque(type("tensor<3xf32>")),
      Value::of<float>(vector, {1, 2}),
      Value::of<float>(vector, {2, 1}),
      Value::of<float>(type("tensor<1x2xf32>"), {1, 2}),
      Value::integer(type("i64"), 1),
      Value::integer(type("i64"), 2),
      Value::real(type("f64"), 1),
      Value::handle(vector, 1, 2),
      Value::handle(vector, 2, 1)};
  std::set<uint64_t> hashes;
  for (const Value &value : values)
    hashes.insert(value.hash());
  EXPECT_EQ(hashes.size(), values.size());
  EXPECT_EQ(Value::of<float>(vector, {1, 2}).hash(), values[3].hash());
  Program other("");
  EXPECT_EQ(Value::of<float>(other.type("tensor<2xf32>"), {1, 2}).hash(),
            values[3].hash());
}

TEST_F(Values, ViewsShareElements) {
  auto flat = Value::of<double>(type("tensor<6xf64>"), {0, 1, 2, 3, 4, 5});
  auto matrix = mlir::cast<mlir::RankedTensorType>(type("tensor<2x2xf64>"));
  Value view = flat.view(matrix, 1);
  EXPECT_EQ(doubles(view), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(view.elements<double>().data(), flat.elements<double>().data() + 1);
  EXPECT_EQ(view, Value::of<double>(matrix, {1, 2, 3, 4}));
  EXPECT_EQ(view.hash(), Value::of<double>(matrix, {1, 2, 3, 4}).hash());
}

TEST_F(Values, FillTensorsAndAddUp) {
  mlir::Type vector = type("tensor<2xf32>"), byte = type("i8");
  Value half = Value::real(vector, 0.5);
  EXPECT_EQ(half, Value::of<float>(vector, {0.5, 0.5}));
  EXPECT_EQ(add(half, Value::of<float>(vector, {1, 2})),
            Value::of<float>(vector, {1.5, 2.5}));
  EXPECT_EQ(add(half, Value::opaque(vector)), Value::opaque(vector));
  EXPECT_EQ(add(Value::integer(byte, 100), Value::integer(byte, 100)).asInt(),
            -56);
}

TEST_F(Values, ComeFromAttributes) {
  EXPECT_EQ(constant("dense<[1.5, -2.0]> : tensor<2xf32>"),
            "[1.5, -2] : tensor<2xf32>");
  EXPECT_EQ(constant("dense<2.5> : tensor<2x2xf64>"),
            "[2.5, 2.5, 2.5, 2.5] : tensor<2x2xf64>");
  EXPECT_EQ(constant("dense<[true, false]> : tensor<2xi1>"),
            "[true, false] : tensor<2xi1>");
  EXPECT_EQ(constant("dense<[-1, 127]> : tensor<2xi8>"),
            "[-1, 127] : tensor<2xi8>");
  EXPECT_EQ(constant("dense<> : tensor<0xf32>"), "[] : tensor<0xf32>");
  EXPECT_EQ(constant("true"), "true");
  EXPECT_EQ(constant("-4 : index"), "-4");
  EXPECT_EQ(constant("1.0 : f16"), "failed");
}

TEST_F(Values, ComeFromResources) {
  Program made("func.func @f() -> tensor<2xf32> {\n"
               "%r = arith.constant dense_resource<w> : tensor<2xf32>\n"
               "return %r : tensor<2xf32>\n}\n"
               "{-# dialect_resources: { builtin: {\n"
               "w: \"0x040000000000803F000000C0\" } } #-}");
  std::vector<Value> results = made.call();
  ASSERT_EQ(results.size(), 1u) << made.errors;
  EXPECT_EQ(doubles(results[0]), (std::vector<double>{1, -2}));
}

TEST_F(Values, UnsupportedTypesAreNamed) {
  EXPECT_EQ(whyUnsupported(type("tensor<2x3xf32>")), "");
  EXPECT_EQ(whyUnsupported(type("index")), "");
  EXPECT_NE(whyUnsupported(type("i65")), "");
  EXPECT_NE(whyUnsupported(type("f16")), "");
  EXPECT_NE(whyUnsupported(type("vector<2xf32>")), "");
  EXPECT_NE(whyUnsupported(type("tensor<*xf32>")), "");
  EXPECT_NE(whyUnsupported(type("tensor<?xf32>")).find("dynamic"),
            std::string::npos);
  EXPECT_TRUE(failed(Value::zero(type("tensor<4294967296x4294967296xf32>"))));
  EXPECT_EQ(Value::zero(type("tensor<0x4294967296xf32>"))->size(), 0);
}

} // namespace
