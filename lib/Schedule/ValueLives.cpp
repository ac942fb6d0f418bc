// When values of a program are needed for the last time.
#include "ValueLives.h"

using namespace mlir;
using namespace rubato;

ValueLives::ValueLives(Operation *part, const Placement &placement) {
  llvm::MapVector<unsigned, SmallVector<Operation *>> touches;
  auto touch = [&](Value value, Operation *op) {
    if (!isa<RankedTensorType>(value.getType()) || !placement.isPlaced(value))
      return;
    unsigned buffer = placement.at(value).buffer;
    if (placement.buffer(buffer).isValue())
      touches[buffer].push_back(op);
  };
  part->walk([&](Operation *op) {
    if (op == part)
      return;
    for (Value operand : op->getOperands())
      touch(operand, op);
    for (Value result : op->getResults())
      touch(result, op);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          touch(argument, op);
  });
  for (auto &[buffer, ops] : touches) {
    // The innermost block that holds them all.
    Block *block = ops.front()->getBlock();
    for (Operation *op : ops)
      while (!block->findAncestorOpInBlock(*op))
        block = block->getParentOp()->getBlock();
    Operation *last = nullptr;
    for (Operation *op : ops) {
      Operation *here = block->findAncestorOpInBlock(*op);
      if (!last || last->isBeforeInBlock(here))
        last = here;
    }
    ends[last].push_back(buffer);
  }
}

ArrayRef<unsigned> ValueLives::endingAt(Operation *op) const {
  auto found = ends.find(op);
  return found == ends.end() ? ArrayRef<unsigned>() : found->second;
}
