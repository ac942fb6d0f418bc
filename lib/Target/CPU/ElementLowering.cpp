// Elements of linalg on tensors as scalar code, computed where they are read.
#include "ElementLowering.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using linalg::LinalgOp;
using rubato::ElementLowering;

SmallVector<Value> ElementLowering::apply(AffineMap map, ArrayRef<Value> ivs) {
  SmallVector<Value> results;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      results.push_back(ivs[dim.getPosition()]);
    else if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      results.push_back(index(constant.getValue()));
    else
      results.push_back(affine::AffineApplyOp::create(
          b, AffineMap::get(map.getNumDims(), 0, expr), ivs));
  }
  return results;
}

bool ElementLowering::isComputedWhereRead(LinalgOp op) const {
  if (op->getNumResults() != 1 || buffers.contains(op->getResult(0)))
    return false;
  if (isa<linalg::FillOp>(op))
    return llvm::all_of(op->getUsers(), llvm::IsaPred<LinalgOp>);
  if (!op->hasOneUse())
    return false;
  OpOperand &use = *op->getResult(0).use_begin();
  auto user = dyn_cast<LinalgOp>(use.getOwner());
  // What a reduction starts from is read before its loops.
  return user && (user.isDpsInit(&use) ||
                  user.getMatchingIndexingMap(&use).isPermutation());
}

Value ElementLowering::read(Value tensor, ArrayRef<Value> indices) {
  if (!isa<RankedTensorType>(tensor.getType()))
    return scalars.lookup(tensor);
  if (Value buffer = buffers.lookup(tensor))
    return memref::LoadOp::create(b, buffer, indices);
  Operation *op = tensor.getDefiningOp();
  if (isa<tensor::EmptyOp>(op)) {
    // Undefined by definition; zero keeps every run the same.
    Type type = getElementTypeOrSelf(tensor.getType());
    return arith::ConstantOp::create(b, b.getZeroAttr(type));
  }
  DenseElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    return arith::ConstantOp::create(
        b, cast<TypedAttr>(constant.getSplatValue<Attribute>()));
  auto producer = cast<LinalgOp>(op);
  AffineMap map =
      producer.getMatchingIndexingMap(producer.getDpsInitOperand(0));
  SmallVector<Value> ivs(producer.getNumLoops());
  for (auto [i, value] : llvm::enumerate(indices))
    ivs[map.getDimPosition(i)] = value;
  return evaluate(producer, ivs).front();
}

SmallVector<Value> ElementLowering::evaluate(LinalgOp op,
                                             SmallVector<Value> ivs) {
  SmallVector<unsigned> dims;
  op.getReductionDims(dims);
  SmallVector<Value> running;
  for (OpOperand &init : op.getDpsInitsMutable())
    running.push_back(
        !dims.empty() || op.payloadUsesValueFromOperand(&init)
            ? read(init.get(), apply(op.getMatchingIndexingMap(&init), ivs))
            : Value());
  return reduceOver(op, ivs, dims, running);
}

/// Loops over `dims` that carry the running values in registers.
SmallVector<Value> ElementLowering::reduceOver(LinalgOp op,
                                               SmallVector<Value> &ivs,
                                               ArrayRef<unsigned> dims,
                                               SmallVector<Value> running) {
  if (dims.empty())
    return element(op, ivs, running);
  OpBuilder::InsertionGuard guard(b);
  int64_t size = op.getStaticLoopRanges()[dims.front()];
  auto loop = scf::ForOp::create(b, index(0), index(size), index(1), running);
  ivs[dims.front()] = loop.getInductionVar();
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      reduceOver(op, ivs, dims.drop_front(),
                 llvm::to_vector_of<Value>(loop.getRegionIterArgs()));
  scf::YieldOp::create(b, next);
  return loop.getResults();
}

/// The body of `op`, once.
SmallVector<Value> ElementLowering::element(LinalgOp op, ArrayRef<Value> ivs,
                                            ArrayRef<Value> running) {
  Block *body = op.getBlock();
  IRMapping mapping = scalars;
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.payloadUsesValueFromOperand(input))
      mapping.map(
          op.getMatchingBlockArgument(input),
          read(input->get(), apply(op.getMatchingIndexingMap(input), ivs)));
  for (auto [i, value] : llvm::enumerate(running))
    if (value)
      mapping.map(op.getMatchingBlockArgument(op.getDpsInitOperand(i)), value);
  for (Operation &inner : body->without_terminator()) {
    if (auto position = dyn_cast<linalg::IndexOp>(inner))
      mapping.map(position.getResult(), ivs[position.getDim()]);
    else
      b.clone(inner, mapping);
  }
  return llvm::map_to_vector(
      body->getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}
