// Atomics are evaluated on a copy whose clock is an argument.
#include "Atomics.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace rubato::test {

interp::Value AtomicMember::valueOf(mlir::Value value, Leaf leaf) {
  if (auto found = environment.find(value); found != environment.end())
    return found->second;
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return {};
  Operation *op = result.getOwner();
  if (auto load = dyn_cast<gsync::LoadOp>(op))
    return cells.lookup(load.getCell());
  if (isa<gsync::ZeroOp>(op))
    return *interp::Value::zero(value.getType());
  if (!interp::canEvaluate(op))
    return leaf(result);
  SmallVector<interp::Value> operands, results;
  for (mlir::Value operand : op->getOperands())
    operands.push_back(valueOf(operand, leaf));
  if (failed(interp::evaluate(op, operands, results)))
    return {};
  return results[result.getResultNumber()];
}

bool AtomicMember::run(gsync::AtomicOp op, double now, Leaf leaf) {
  // In a function of the module, where calls find what they name.
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(op->getParentOfType<ModuleOp>().getBody());
  auto scratch = func::FuncOp::create(builder, op.getLoc(), "scratch",
                                      builder.getFunctionType({}, {}));
  Block &copy = *scratch.addEntryBlock();
  IRMapping mapping;
  SmallVector<interp::Value> arguments;
  Block &body = op.getBody().front();
  for (auto [argument, cell] : llvm::zip(body.getArguments(), op.getCells())) {
    mapping.map(argument,
                copy.addArgument(argument.getType(), argument.getLoc()));
    arguments.push_back(cells.lookup(cast<FlatSymbolRefAttr>(cell).getValue()));
  }
  interp::Environment outside;
  SetVector<mlir::Value> captured;
  getUsedValuesDefinedAbove(op.getBody(), captured);
  for (mlir::Value value : captured)
    outside[value] = valueOf(value, leaf);
  auto addInput = [&](mlir::Value result, interp::Value value) {
    mapping.map(result, copy.addArgument(result.getType(), result.getLoc()));
    arguments.push_back(value);
  };
  builder.setInsertionPointToEnd(&copy);
  for (Operation &each : body) {
    if (auto clock = dyn_cast<gsync::NowOp>(each))
      addInput(clock.getResult(), interp::Value::real(clock.getType(), now));
    else if (auto load = dyn_cast<gsync::LoadOp>(each))
      addInput(load.getResult(), cells.lookup(load.getCell()));
    else
      builder.clone(each, mapping);
  }
  SmallVector<interp::Value> yielded;
  interp::Budget budget;
  bool done = succeeded(interp::evaluateBlock(copy, arguments, outside, yielded,
                                              budget)) &&
              yielded.size() == op.getCells().size() + op.getNumResults();
  scratch.erase();
  if (!done)
    return false;
  size_t next = 0;
  for (Attribute cell : op.getCells())
    cells[cast<FlatSymbolRefAttr>(cell).getValue()] = yielded[next++];
  for (mlir::Value result : op.getResults())
    environment[result] = yielded[next++];
  return true;
}

} // namespace rubato::test
