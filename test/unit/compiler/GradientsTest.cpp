// Every gradient rule against central differences. The rules are found by
// asking every registered operation, so a new rule without a case in
// test/gradients/ fails here.
#include "CompiledKernels.h"

#include "dialects/nn/Nn.h"
#include "rubato/Kernels/KernelFacts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace rubato::test;

namespace {

std::vector<std::string> operationsWithRule() {
  std::unique_ptr<MLIRContext> context = createContext();
  context->loadAllAvailableDialects();
  std::vector<std::string> names;
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (name.hasInterface<rubato::nn::DifferentiableOpInterface>())
      names.push_back(name.getStringRef().str());
  llvm::sort(names);
  return names;
}

std::string casePath(const std::string &operation) {
  return std::string(RUBATO_TEST_DIRECTORY "/gradients/") + operation + ".mlir";
}

bool isFloat(Type type) {
  return isa<FloatType>(cast<RankedTensorType>(type).getElementType());
}

/// Adds @<name>.gradient(inputs…, c) -> gradients of sum(c * f(inputs…)) by
/// the floating-point inputs, through the rules alone.
func::FuncOp buildGradient(func::FuncOp function) {
  func::FuncOp gradient = function.clone();
  gradient.setSymName((function.getSymName() + ".gradient").str());
  function->getBlock()->push_back(gradient);
  Block &body = gradient.getBody().front();
  Operation *end = body.getTerminator();
  OpBuilder b(end);
  unsigned inputs = body.getNumArguments();
  DenseMap<Value, Value> of;
  of[end->getOperand(0)] =
      body.addArgument(end->getOperand(0).getType(), gradient.getLoc());
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops)) {
    auto rule = dyn_cast<rubato::nn::DifferentiableOpInterface>(op);
    SmallVector<Value> results, operands(op->getNumOperands());
    for (Value result : op->getResults())
      results.push_back(of.lookup(result));
    if (!rule || llvm::none_of(results, [](Value v) { return bool(v); }))
      continue;
    if (failed(rule.buildGradient(b, results, operands)))
      return nullptr;
    for (auto [i, part] : llvm::enumerate(operands)) {
      if (!part || !rule.flowsGradient(i))
        continue;
      Value &sum = of[op->getOperand(i)];
      sum = sum ? arith::AddFOp::create(b, op->getLoc(), sum, part) : part;
    }
  }
  SmallVector<Value> outputs;
  for (BlockArgument input : body.getArguments().take_front(inputs))
    if (isFloat(input.getType())) {
      Value value = of.lookup(input);
      outputs.push_back(
          value ? value
                : rubato::nn::splat(b, input.getLoc(), input.getType(), 0.0));
    }
  end->setOperands(outputs);
  gradient.setFunctionType(b.getFunctionType(body.getArgumentTypes(),
                                             ValueRange(outputs).getTypes()));
  return gradient;
}

/// A buffer of f64, f32 or i64 that reads and writes as double.
struct Buffer {
  Buffer(Type type, uint32_t seed, double grid) {
    auto tensor = cast<RankedTensorType>(type);
    element = tensor.getElementType();
    count = tensor.getNumElements();
    bytes.resize(count * 8);
    std::vector<double> values = numbers<double>(count, seed);
    for (size_t i = 0; i != count; ++i)
      set(i,
          element.isInteger()
              ? double((3 * i + seed) % 4)
              : (grid != 0 ? std::round(values[i] / grid) * grid : values[i]));
  }
  double get(size_t i) const {
    if (element.isF32())
      return reinterpret_cast<const float *>(bytes.data())[i];
    if (element.isF64())
      return reinterpret_cast<const double *>(bytes.data())[i];
    return double(reinterpret_cast<const int64_t *>(bytes.data())[i]);
  }
  void set(size_t i, double value) {
    if (element.isF32())
      reinterpret_cast<float *>(bytes.data())[i] = float(value);
    else if (element.isF64())
      reinterpret_cast<double *>(bytes.data())[i] = value;
    else
      reinterpret_cast<int64_t *>(bytes.data())[i] = int64_t(value);
  }
  Type element;
  size_t count;
  std::vector<char> bytes;
};

/// A function, its gradient, and how far each splits.
struct Case {
  std::string name;
  SmallVector<Type> inputs;
  Type result;
  int64_t extent, gradientExtent;
};

/// Compares one function with its gradient.
void check(const CompiledKernels &kernels, const Case &c) {
  SCOPED_TRACE("function @" + c.name);
  auto isF32 = [](Type type) { return getElementTypeOrSelf(type).isF32(); };
  // Where f32 takes part, numbers that it holds exactly, and a wide step: the
  // operations that change the type are linear.
  bool coarse = isF32(c.result) || llvm::any_of(c.inputs, isF32);
  double grid = coarse ? 0x1p-10 : 0, step = coarse ? 0x1p-7 : 1e-6;
  std::vector<Buffer> inputs, gradients;
  for (auto [i, type] : llvm::enumerate(c.inputs))
    inputs.emplace_back(type, i + 1, grid);
  Buffer weights(c.result, 77, grid), result(c.result, 0, 0);
  for (Type type : c.inputs)
    if (isFloat(type))
      gradients.emplace_back(type, 0, 0);

  std::vector<void *> arguments;
  for (Buffer &input : inputs)
    arguments.push_back(input.bytes.data());
  std::vector<void *> forward = arguments;
  forward.push_back(result.bytes.data());
  arguments.push_back(weights.bytes.data());
  for (Buffer &gradient : gradients)
    arguments.push_back(gradient.bytes.data());
  kernels.call(c.name + ".gradient", arguments, 0, c.gradientExtent);

  auto loss = [&] {
    kernels.call(c.name, forward, 0, c.extent);
    double sum = 0;
    for (size_t i = 0; i != result.count; ++i)
      sum += weights.get(i) * result.get(i);
    return sum;
  };
  auto gradient = gradients.begin();
  for (auto [number, input] : llvm::enumerate(inputs)) {
    if (input.element.isInteger())
      continue;
    for (size_t i = 0; i != input.count; ++i) {
      double x = input.get(i);
      input.set(i, x + step);
      double above = loss();
      input.set(i, x - step);
      double below = loss();
      input.set(i, x);
      double want = (above - below) / (2 * step), got = gradient->get(i);
      EXPECT_NEAR(got, want, 1e-6 * (1 + std::abs(want)))
          << "input " << number << ", element " << i << ", at " << x;
    }
    ++gradient;
  }
}

class Gradients : public testing::TestWithParam<std::string> {};

TEST_P(Gradients, AgreeWithDifferences) {
  std::string path = casePath(GetParam());
  ASSERT_TRUE(llvm::sys::fs::exists(path))
      << GetParam() << " has a gradient rule but no case: write " << path;
  std::unique_ptr<MLIRContext> context = createContext();
  context->loadDialect<rubato::nn::NnDialect>(); // of the facts of kernels
  auto module = parseSourceFile<ModuleOp>(path, context.get());
  ASSERT_TRUE(module);
  std::vector<Case> cases;
  bool used = false;
  for (auto function : llvm::to_vector(module->getOps<func::FuncOp>())) {
    function.walk([&](Operation *op) {
      used |= op->getName().getStringRef() == GetParam();
    });
    func::FuncOp gradient = buildGradient(function);
    ASSERT_TRUE(gradient) << "the rule failed";
    for (func::FuncOp kernel : {function, gradient})
      kernel->setAttr(
          rubato::kKernelAttr,
          rubato::KernelFacts::derive(kernel).toAttribute(context.get()));
    cases.push_back({function.getSymName().str(),
                     llvm::to_vector(function.getArgumentTypes()),
                     function.getResultTypes().front(),
                     rubato::KernelFacts::of(function).split,
                     rubato::KernelFacts::of(gradient).split});
  }
  EXPECT_TRUE(used) << path << " does not use " << GetParam();
  CompiledKernels kernels(*context, *module);
  ASSERT_TRUE(kernels.ok()) << kernels.error;
  for (const Case &c : cases)
    check(kernels, c);
}

INSTANTIATE_TEST_SUITE_P(Rules, Gradients,
                         testing::ValuesIn(operationsWithRule()),
                         [](const auto &info) {
                           return substitute(info.param, ".", "_");
                         });

TEST(GradientCases, BelongToARule) {
  std::vector<std::string> rules = operationsWithRule();
  EXPECT_FALSE(rules.empty());
  std::error_code code;
  for (llvm::sys::fs::directory_iterator
           it(RUBATO_TEST_DIRECTORY "/gradients", code),
       end;
       it != end && !code; it.increment(code)) {
    StringRef path = it->path();
    if (llvm::sys::path::extension(path) == ".mlir")
      EXPECT_TRUE(llvm::is_contained(rules, llvm::sys::path::stem(path).str()))
          << path.str() << " is the case of no rule";
  }
}

} // namespace
