// Finding and running the loop of an elementwise operation.
#include "tools/rubato-interp/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace rubato::interp {

Loop Loops::lookup(Operation *op, Element operand, Element result) const {
  auto it = table.find(op->getName().getTypeID());
  if (it == table.end())
    return nullptr;
  return it->second[size_t(operand)][size_t(result)];
}

static const Loops &allLoops() {
  static const Loops loops = [] {
    Loops loops;
    addFloatLoops(loops);
    addIntegerLoops(loops);
    addCastLoops(loops);
    addMathLoops(loops);
    addNnLoops(loops);
    return loops;
  }();
  return loops;
}

std::optional<ElementwiseOp> elementwiseOf(Operation *op) {
  if (op->getNumOperands() == 0 || op->getNumResults() != 1)
    return std::nullopt;
  Type operandType = op->getOperands().back().getType();
  Type resultType = op->getResult(0).getType();
  std::optional<Element> operand = elementOf(operandType);
  std::optional<Element> result = elementOf(resultType);
  if (!operand || !result)
    return std::nullopt;
  Loop loop = allLoops().lookup(op, *operand, *result);
  if (!loop)
    return std::nullopt;
  ElementwiseOp elementwise{loop, integerWidth(operandType),
                            integerWidth(resultType), 0};
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    elementwise.predicate = int64_t(compare.getPredicate());
  else if (auto compare = dyn_cast<arith::CmpFOp>(op))
    elementwise.predicate = int64_t(compare.getPredicate());
  // Conversions that round in another way than to the nearest.
  if (auto truncate = dyn_cast<arith::TruncFOp>(op))
    if (truncate.getRoundingmode().value_or(
            arith::RoundingMode::to_nearest_even) !=
        arith::RoundingMode::to_nearest_even)
      return std::nullopt;
  return elementwise;
}

LogicalResult evaluateElementwise(Operation *op,
                                  const ElementwiseOp &elementwise,
                                  ArrayRef<Value> operands,
                                  SmallVectorImpl<Value> &results) {
  SmallVector<const void *, 3> inputs;
  for (const Value &operand : operands)
    inputs.push_back(operand.data());
  Type type = op->getResult(0).getType();
  const char *error = nullptr;
  withElement(*elementOf(type), [&](auto zero) {
    using T = decltype(zero);
    results.push_back(Value::build<T>(type, [&](MutableArrayRef<T> out) {
      error = elementwise.run(out.size(), inputs.data(), out.data());
    }));
  });
  return error ? op->emitOpError(error) : success();
}

} // namespace rubato::interp
