// Which kernels can be split, decided on nn and on linalg form alike.
#include "rubato/Kernels/KernelExtent.h"

#include "dialects/nn/Nn.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

/// Dimension 0 of the results if all have the same shape, else 1.
static int64_t commonExtent(func::FuncOp kernel) {
  auto types = kernel.getResultTypes();
  auto first = types.empty() ? RankedTensorType()
                             : dyn_cast<RankedTensorType>(types.front());
  if (!first || first.getRank() == 0)
    return 1;
  bool same = llvm::all_of(types, [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getShape() == first.getShape();
  });
  return same ? first.getDimSize(0) : 1;
}

/// Whether `op` computes a tensor of `shape`, or a scalar, index by index.
static bool isElementwise(Operation *op, ArrayRef<int64_t> shape) {
  if (isa<arith::ConstantOp>(op))
    return true;
  if (op->getNumResults() != 1)
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || (type.getRank() != 0 && type.getShape() != shape))
    return false;
  if (auto broadcast = dyn_cast<rubato::nn::BroadcastOp>(op))
    // With all dimensions kept it can only permute them.
    return cast<RankedTensorType>(broadcast.getInput().getType()).getRank() <
           int64_t(shape.size());
  return OpTrait::hasElementwiseMappableTraits(op) ||
         isa<rubato::nn::ReluOp, rubato::nn::SigmoidOp>(op);
}

/// One linalg.generic, parallel, whose full-sized operands are read at the
/// index that is written.
static bool isElementwise(linalg::GenericOp op) {
  if (op.getNumLoops() != op.getNumParallelLoops())
    return false;
  SmallVector<int64_t> shape = op.getStaticLoopRanges();
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (op.isDpsInit(&operand))
      return map.isIdentity() && !op.payloadUsesValueFromOperand(&operand);
    return map.isIdentity() || map.getNumResults() < shape.size();
  });
}

int64_t rubato::kernelExtent(func::FuncOp kernel) {
  if (auto known = kernel->getAttrOfType<IntegerAttr>(kExtentAttr))
    return known.getInt();
  int64_t extent = commonExtent(kernel);
  if (extent == 1 || kernel.isExternal() ||
      !llvm::hasSingleElement(kernel.getBody()))
    return 1;

  Block &body = kernel.getBody().front();
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(kernel.getResultTypes().front()).getShape();
  unsigned generics = 0;
  for (Operation &op : body.without_terminator()) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      if (++generics > 1 || !isElementwise(generic))
        return 1;
    } else if (!isa<tensor::EmptyOp>(op) && !isElementwise(&op, shape)) {
      return 1;
    }
  }
  // A result must be computed here: an operand handed through is no work.
  bool computed =
      llvm::all_of(body.getTerminator()->getOperands(), [](Value value) {
        Operation *op = value.getDefiningOp();
        return op && !isa<arith::ConstantOp, tensor::EmptyOp>(op);
      });
  return computed ? extent : 1;
}
