// Gradient rules of the nn dialect's own operations.
#include "dialects/nn/Nn.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace rubato::nn;

/// op(a)·op(b) for given transposition flags.
static Value product(OpBuilder &b, Location loc, Value lhs, bool transposeLhs,
                     Value rhs, bool transposeRhs, Type type) {
  return MatmulOp::create(b, loc, type, lhs, rhs, transposeLhs, transposeRhs);
}

LogicalResult MatmulOp::buildGradient(OpBuilder &b, ArrayRef<Value> results,
                                      MutableArrayRef<Value> operands) {
  Value g = results[0], x = getLhs(), y = getRhs();
  bool tx = getTransposeLhs(), ty = getTransposeRhs();
  // With C = X·Y: dX = dC·Yᵀ and dY = Xᵀ·dC; a transposed operand receives the
  // transposed product, formed by swapping the factors.
  operands[0] = tx ? product(b, getLoc(), y, ty, g, true, x.getType())
                   : product(b, getLoc(), g, false, y, !ty, x.getType());
  operands[1] = ty ? product(b, getLoc(), g, true, x, tx, y.getType())
                   : product(b, getLoc(), x, !tx, g, false, y.getType());
  return success();
}

LogicalResult BroadcastOp::buildGradient(OpBuilder &b, ArrayRef<Value> results,
                                         MutableArrayRef<Value> operands) {
  SmallVector<int64_t> added;
  for (int64_t i = 0, e = cast<RankedTensorType>(getType()).getRank(); i < e;
       ++i)
    if (!llvm::is_contained(getDims(), i))
      added.push_back(i);
  operands[0] = ReduceOp::create(b, getLoc(), getInput().getType(),
                                 ReduceKind::Sum, results[0], added);
  return success();
}

LogicalResult ReduceOp::buildGradient(OpBuilder &b, ArrayRef<Value> results,
                                      MutableArrayRef<Value> operands) {
  SmallVector<int64_t> kept;
  for (int64_t i = 0,
               e = cast<RankedTensorType>(getInput().getType()).getRank();
       i < e; ++i)
    if (!llvm::is_contained(getDims(), i))
      kept.push_back(i);
  operands[0] =
      BroadcastOp::create(b, getLoc(), getInput().getType(), results[0], kept);
  return success();
}

LogicalResult TransposeOp::buildGradient(OpBuilder &b, ArrayRef<Value> results,
                                         MutableArrayRef<Value> operands) {
  SmallVector<int64_t> inverse(getPerm().size());
  for (auto [i, dim] : llvm::enumerate(getPerm()))
    inverse[dim] = i;
  operands[0] = TransposeOp::create(b, getLoc(), getInput().getType(),
                                    results[0], inverse);
  return success();
}

LogicalResult ReshapeOp::buildGradient(OpBuilder &b, ArrayRef<Value> results,
                                       MutableArrayRef<Value> operands) {
  operands[0] =
      ReshapeOp::create(b, getLoc(), getInput().getType(), results[0]);
  return success();
}

LogicalResult ReluOp::buildGradient(OpBuilder &b, ArrayRef<Value> results,
                                    MutableArrayRef<Value> operands) {
  // Taken from the output, so the input need not be kept. Unordered: where the
  // output is NaN the gradient passes, as in PyTorch.
  Value zero = splat(b, getLoc(), getType(), 0.0);
  Value active = arith::CmpFOp::create(b, getLoc(), arith::CmpFPredicate::UGT,
                                       getResult(), zero);
  operands[0] = arith::SelectOp::create(b, getLoc(), active, results[0], zero);
  return success();
}

LogicalResult SigmoidOp::buildGradient(OpBuilder &b, ArrayRef<Value> results,
                                       MutableArrayRef<Value> operands) {
  // y(1 - y): finite for every input, unlike the chain through exp.
  Value one = splat(b, getLoc(), getType(), 1.0);
  Value rest = arith::SubFOp::create(b, getLoc(), one, getResult());
  Value slope = arith::MulFOp::create(b, getLoc(), getResult(), rest);
  operands[0] = arith::MulFOp::create(b, getLoc(), results[0], slope);
  return success();
}

LogicalResult
SoftmaxCrossEntropyOp::buildGradient(OpBuilder &b, ArrayRef<Value> results,
                                     MutableArrayRef<Value> operands) {
  operands[0] = SoftmaxCrossEntropyGradOp::create(
      b, getLoc(), getLogits().getType(), getLogits(), getLabels(), results[0]);
  return success();
}
