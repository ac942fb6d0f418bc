// Functions: calls, branches, loops, opaque values, limits and errors.
#include "Programs.h"

#include "gtest/gtest.h"

using namespace rubato::test;
using namespace rubato::interp;

namespace {

TEST(Functions, CallOneAnother) {
  Program program(R"(
    func.func @square(%x: i64) -> i64 {
      %r = arith.muli %x, %x : i64
      return %r : i64
    }
    func.func @f(%x: i64) -> (i64, i64) {
      %a = call @square(%x) : (i64) -> i64
      %b = call @square(%a) : (i64) -> i64
      return %a, %b : i64, i64
    })");
  auto results = program.call(Value::integer(program.type("i64"), 3));
  ASSERT_EQ(results.size(), 2u) << program.errors;
  EXPECT_EQ(results[0].asInt(), 9);
  EXPECT_EQ(results[1].asInt(), 81);
}

const char *kCollatz = R"(
    func.func @f(%x: i64, %n: index) -> i64 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %one = arith.constant 1 : i64
      %two = arith.constant 2 : i64
      %three = arith.constant 3 : i64
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> i64 {
        %odd = arith.andi %v, %one : i64
        %isOdd = arith.cmpi eq, %odd, %one : i64
        %next = scf.if %isOdd -> i64 {
          %a = arith.muli %v, %three : i64
          %b = arith.addi %a, %one : i64
          scf.yield %b : i64
        } else {
          %h = arith.divsi %v, %two : i64
          scf.yield %h : i64
        }
        scf.yield %next : i64
      }
      return %r : i64
    })";

TEST(Functions, BranchAndLoop) {
  Program program(kCollatz);
  mlir::Type i64 = program.type("i64"), index = program.type("index");
  // 6, 3, 10, 5, 16, 8, 4, 2, 1.
  for (auto [steps, want] : {std::pair(0, 6), {1, 3}, {4, 16}, {8, 1}}) {
    auto results =
        program.call({Value::integer(i64, 6), Value::integer(index, steps)});
    ASSERT_EQ(results.size(), 1u) << program.errors;
    EXPECT_EQ(results[0].asInt(), want);
  }
}

TEST(Functions, BlocksReadValuesFromOutside) {
  Program program(R"(
    gsync.cell @n : tensor<i64> role(counter)
    func.func @f(%x: tensor<i64>) {
      gsync.atomic (@n) {
      ^bb0(%n: tensor<i64>):
        %m = arith.addi %n, %x : tensor<i64>
        gsync.yield cells(%m : tensor<i64>)
      }
      return
    })");
  ASSERT_TRUE(program.module) << program.errors;
  mlir::Block &outer = program.function().getBody().front();
  mlir::Block &inner = outer.front().getRegion(0).front();
  mlir::Type type = program.type("tensor<i64>");
  Environment environment;
  environment[outer.getArgument(0)] = Value::integer(type, 4);
  llvm::SmallVector<Value> yielded;
  Budget budget;
  ASSERT_TRUE(succeeded(evaluateBlock(inner, Value::integer(type, 3),
                                      environment, yielded, budget)))
      << program.errors;
  ASSERT_EQ(yielded.size(), 1u);
  EXPECT_EQ(yielded[0].asInt(), 7);
  environment.clear();
  EXPECT_TRUE(failed(evaluateBlock(inner, Value::integer(type, 3), environment,
                                   yielded, budget)));
}

TEST(Functions, OpaqueConditionsAndBoundsGiveOpaqueResults) {
  Program program(kCollatz);
  mlir::Type i64 = program.type("i64"), index = program.type("index");
  for (const auto &arguments :
       {std::vector{Value::opaque(i64), Value::integer(index, 1)},
        std::vector{Value::integer(i64, 6), Value::opaque(index)}}) {
    auto results = program.call(arguments);
    ASSERT_EQ(results.size(), 1u) << program.errors;
    EXPECT_EQ(results[0], Value::opaque(i64));
  }
  // What is opaque but not looked at stays as it is.
  auto results = program.call({Value::opaque(i64), Value::integer(index, 0)});
  EXPECT_EQ(results.at(0), Value::opaque(i64));
}

TEST(Functions, OpaqueDataLeavesTheRestKnown) {
  Program program(R"(
    func.func @f(%x: tensor<2xf32>, %n: tensor<i64>, %c: i1)
        -> (tensor<2xf32>, tensor<i64>, tensor<2xf32>) {
      %y = arith.mulf %x, %x : tensor<2xf32>
      %m = arith.addi %n, %n : tensor<i64>
      %z = gsync.zero : tensor<2xf32>
      %s = arith.select %c, %z, %y : tensor<2xf32>
      return %y, %m, %s : tensor<2xf32>, tensor<i64>, tensor<2xf32>
    })");
  mlir::Type vector = program.type("tensor<2xf32>");
  auto results = program.call({Value::opaque(vector),
                               Value::integer(program.type("tensor<i64>"), 4),
                               Value::integer(program.type("i1"), 1)});
  ASSERT_EQ(results.size(), 3u) << program.errors;
  EXPECT_EQ(results[0], Value::opaque(vector));
  EXPECT_EQ(results[1].asInt(), 8);
  EXPECT_EQ(results[2], *Value::zero(vector));
}

TEST(Functions, UnknownOperationsAreNamed) {
  Program program(R"(
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %e = tensor.generate {
      ^bb0(%i: index):
        %c = arith.constant 1.0 : f32
        tensor.yield %c : f32
      } : tensor<2xf32>
      return %e : tensor<2xf32>
    })");
  auto argument = Value::opaque(program.type("tensor<2xf32>"));
  EXPECT_TRUE(program.call(argument).empty());
  EXPECT_NE(program.errors.find("cannot evaluate 'tensor.generate'"),
            std::string::npos)
      << program.errors;
}

TEST(Functions, EffectsAreRefused) {
  Program program(R"(
    gsync.cell @n : tensor<i64> role(counter)
    func.func @f() -> tensor<i64> {
      %n = gsync.load @n : tensor<i64>
      return %n : tensor<i64>
    })");
  EXPECT_TRUE(program.call().empty());
  EXPECT_EQ(program.errors, "rubato-interp cannot evaluate 'gsync.load' here, "
                            "where nothing may have an effect\n");
}

TEST(Functions, ArgumentsMustFit) {
  Program program(kCollatz);
  mlir::Type i64 = program.type("i64");
  EXPECT_TRUE(program.call(Value::integer(i64, 6)).empty());
  EXPECT_TRUE(
      program.call({Value::integer(i64, 6), Value::integer(i64, 1)}).empty());
  EXPECT_NE(program.errors.find("another type for block argument 1"),
            std::string::npos)
      << program.errors;
}

TEST(Functions, EndlessWorkGivesUp) {
  Program program(R"(
    func.func @f(%x: i64) -> i64 {
      %r = call @f(%x) : (i64) -> i64
      return %r : i64
    }
    func.func @loop() {
      %a = arith.constant 0 : index
      %b = arith.constant 4611686018427387904 : index
      %c = arith.constant 1 : index
      scf.for %i = %a to %b step %c {
      }
      return
    })");
  EXPECT_TRUE(program.call(Value::integer(program.type("i64"), 1)).empty());
  EXPECT_NE(program.errors.find("too deep"), std::string::npos);
  Budget small;
  small.operations = 1000;
  EXPECT_TRUE(failed(evaluateFunction(program.function("loop"), {}, small)));
  EXPECT_NE(program.errors.find("too long"), std::string::npos);
}

TEST(Functions, HugeResultsAreRefused) {
  Program program(R"(
    func.func @f() -> tensor<1099511627776xf32> {
      %r = gsync.zero : tensor<1099511627776xf32>
      return %r : tensor<1099511627776xf32>
    })");
  EXPECT_TRUE(program.call().empty());
  EXPECT_NE(program.errors.find("cannot hold the result"), std::string::npos)
      << program.errors;
}

} // namespace
