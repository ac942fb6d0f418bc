// Evaluation of blocks and functions, operation by operation.
#include "tools/rubato-interp/Evaluate.h"

#include "tools/rubato-interp/Elementwise.h"
#include "tools/rubato-interp/Rules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace rubato::interp {

namespace {

const Rules &allRules() {
  static const Rules rules = [] {
    Rules rules;
    addConstantRules(rules);
    addNnRules(rules);
    addNnScoreRules(rules);
    addTensorRules(rules);
    addTensorSliceRules(rules);
    return rules;
  }();
  return rules;
}

Rule findRule(Operation *op) {
  if (Rule rule = allRules().lookup(op))
    return rule;
  return isa<linalg::LinalgOp>(op) ? evaluateLinalg : nullptr;
}

void giveOpaque(Operation *op, SmallVectorImpl<Value> &results) {
  for (Type type : op->getResultTypes())
    results.push_back(Value::opaque(type));
}

bool isUnknown(const Value &value) { return !value.isKnown(); }

/// A value has the size it has; the type of the IR may leave sizes open.
bool fits(Type value, Type declared) {
  if (value == declared)
    return true;
  auto open = dyn_cast<RankedTensorType>(declared);
  auto known = dyn_cast<RankedTensorType>(value);
  return open && known && !open.hasStaticShape() &&
         open.getElementType() == known.getElementType() &&
         succeeded(verifyCompatibleShape(open, known));
}

/// Operands that do not belong to the operation would be read as what they
/// are not.
LogicalResult checkOperands(Operation *op, ArrayRef<Value> operands) {
  if (operands.size() != op->getNumOperands())
    return op->emitOpError("was given ") << operands.size() << " values for "
                                         << op->getNumOperands() << " operands";
  for (auto [i, value] : llvm::enumerate(operands))
    if (!fits(value.type(), op->getOperand(i).getType()))
      return op->emitOpError("was given a value of another type for operand ")
             << i;
  return success();
}

} // namespace

bool canEvaluate(Operation *op) { return findRule(op) || elementwiseOf(op); }

LogicalResult evaluate(Operation *op, ArrayRef<Value> operands,
                       SmallVectorImpl<Value> &results,
                       const Environment *captured) {
  if (failed(checkOperands(op, operands)))
    return failure();
  if (isa<arith::SelectOp>(op) && operands[0].isKnown() &&
      !operands[0].isTensor()) {
    results.push_back(operands[operands[0].asInt() ? 1 : 2]);
    return success();
  }
  Rule rule = findRule(op);
  std::optional<ElementwiseOp> elementwise;
  if (!rule) {
    elementwise = elementwiseOf(op);
    if (!elementwise)
      return op->emitError("rubato-interp cannot evaluate '")
             << op->getName()
             << (isMemoryEffectFree(op)
                     ? "' on these types; lower it to arith, math, tensor, "
                       "linalg or nn"
                     : "' here, where nothing may have an effect");
  }
  if (llvm::any_of(operands, isUnknown)) {
    giveOpaque(op, results);
    return success();
  }
  for (Type type : op->getResultTypes())
    if (!isSupported(type))
      return op->emitError("rubato-interp cannot hold the result: ")
             << whyUnsupported(type);
  if (elementwise)
    return evaluateElementwise(op, *elementwise, operands, results);
  return rule({op, operands, results, captured});
}

namespace {

/// Evaluates blocks, keeping count of the work.
class Evaluator {
public:
  explicit Evaluator(Budget &budget) : budget(budget) {}

  LogicalResult block(Block &block, ArrayRef<Value> arguments,
                      Environment &environment,
                      SmallVectorImpl<Value> &yielded);
  LogicalResult function(func::FuncOp function, ArrayRef<Value> arguments,
                         SmallVectorImpl<Value> &results);

private:
  LogicalResult operation(Operation &op, Environment &environment);
  LogicalResult call(func::CallOp op, ArrayRef<Value> operands,
                     SmallVectorImpl<Value> &results);
  LogicalResult branch(scf::IfOp op, const Value &condition,
                       Environment &environment,
                       SmallVectorImpl<Value> &results);
  LogicalResult loop(scf::ForOp op, ArrayRef<Value> operands,
                     Environment &environment, SmallVectorImpl<Value> &results);
  LogicalResult lookup(Operation &op, const Environment &environment,
                       SmallVectorImpl<Value> &operands);
  LogicalResult spend(Operation *op) {
    if (--budget.operations >= 0)
      return success();
    return op->emitError("evaluation takes too long: the operations that it "
                         "may take are used up");
  }

  Budget &budget;
};

LogicalResult Evaluator::lookup(Operation &op, const Environment &environment,
                                SmallVectorImpl<Value> &operands) {
  for (mlir::Value operand : op.getOperands()) {
    auto it = environment.find(operand);
    if (it == environment.end())
      return op.emitOpError("reads a value that has not been computed");
    operands.push_back(it->second);
  }
  return success();
}

LogicalResult Evaluator::block(Block &block, ArrayRef<Value> arguments,
                               Environment &environment,
                               SmallVectorImpl<Value> &yielded) {
  Operation *owner = block.getParentOp();
  if (budget.depth == 0)
    return owner->emitError("evaluation goes too deep: calls or regions "
                            "within one another");
  if (arguments.size() != block.getNumArguments())
    return owner->emitOpError("was given ")
           << arguments.size() << " values for " << block.getNumArguments()
           << " block arguments";
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments)) {
    if (!fits(value.type(), argument.getType()))
      return owner->emitOpError("was given a value of another type for block "
                                "argument ")
             << argument.getArgNumber();
    environment[argument] = value;
  }
  if (block.empty() || !block.back().hasTrait<OpTrait::IsTerminator>())
    return owner->emitOpError("has a block without terminator, which has no "
                              "values");
  --budget.depth;
  LogicalResult result = success();
  for (Operation &op : block.without_terminator())
    if (failed(result = operation(op, environment)))
      break;
  ++budget.depth;
  if (failed(result))
    return failure();
  return lookup(block.back(), environment, yielded);
}

LogicalResult Evaluator::operation(Operation &op, Environment &environment) {
  SmallVector<Value> operands, results;
  if (failed(spend(&op)) || failed(lookup(op, environment, operands)))
    return failure();
  LogicalResult result = failure();
  if (auto callee = dyn_cast<func::CallOp>(op))
    result = call(callee, operands, results);
  else if (auto choice = dyn_cast<scf::IfOp>(op))
    result = branch(choice, operands[0], environment, results);
  else if (auto counted = dyn_cast<scf::ForOp>(op))
    result = loop(counted, operands, environment, results);
  else
    result = evaluate(&op, operands, results, &environment);
  if (failed(result))
    return failure();
  for (auto [name, value] : llvm::zip_equal(op.getResults(), results))
    environment[name] = value;
  return success();
}

LogicalResult Evaluator::function(func::FuncOp function,
                                  ArrayRef<Value> arguments,
                                  SmallVectorImpl<Value> &results) {
  if (!function.getBody().hasOneBlock())
    return function.emitError("rubato-interp evaluates functions of one block "
                              "only; '@")
           << function.getSymName() << "' has "
           << function.getBody().getBlocks().size();
  Environment environment;
  return block(function.getBody().front(), arguments, environment, results);
}

LogicalResult Evaluator::call(func::CallOp op, ArrayRef<Value> operands,
                              SmallVectorImpl<Value> &results) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  if (!callee)
    return op.emitOpError("calls '@")
           << op.getCallee() << "', which is no function of this module";
  return function(callee, operands, results);
}

LogicalResult Evaluator::branch(scf::IfOp op, const Value &condition,
                                Environment &environment,
                                SmallVectorImpl<Value> &results) {
  if (!condition.isKnown()) {
    giveOpaque(op, results);
    return success();
  }
  Region &region = condition.asInt() ? op.getThenRegion() : op.getElseRegion();
  if (region.empty())
    return success();
  return block(region.front(), {}, environment, results);
}

LogicalResult Evaluator::loop(scf::ForOp op, ArrayRef<Value> operands,
                              Environment &environment,
                              SmallVectorImpl<Value> &results) {
  if (llvm::any_of(operands.take_front(3), isUnknown)) {
    giveOpaque(op, results);
    return success();
  }
  int64_t from = operands[0].asInt(), to = operands[1].asInt(),
          step = operands[2].asInt();
  if (step <= 0)
    return op.emitOpError("steps by ") << step << "; a step is positive";
  if (op.getUnsignedCmp() && (from < 0 || to < 0))
    return op.emitOpError("has bounds beyond those of signed integers");
  SmallVector<Value> arguments;
  arguments.push_back(operands[0]);
  llvm::append_range(arguments, operands.drop_front(3));
  for (int64_t i = from; i < to;) {
    arguments[0] = Value::integer(operands[0].type(), i);
    SmallVector<Value> yielded;
    if (failed(spend(op)) ||
        failed(block(*op.getBody(), arguments, environment, yielded)))
      return failure();
    llvm::copy(yielded, arguments.begin() + 1);
    if (llvm::AddOverflow(i, step, i))
      break;
  }
  results.append(arguments.begin() + 1, arguments.end());
  return success();
}

} // namespace

LogicalResult evaluateBlock(Block &block, ArrayRef<Value> arguments,
                            Environment &environment,
                            SmallVectorImpl<Value> &yielded, Budget &budget) {
  return Evaluator(budget).block(block, arguments, environment, yielded);
}

FailureOr<SmallVector<Value>> evaluateFunction(func::FuncOp function,
                                               ArrayRef<Value> arguments,
                                               Budget budget) {
  SmallVector<Value> results;
  if (failed(Evaluator(budget).function(function, arguments, results)))
    return failure();
  return results;
}

} // namespace rubato::interp
