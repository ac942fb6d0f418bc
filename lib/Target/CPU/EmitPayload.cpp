// Elementwise payloads of linalg.generic, computed on scalars or on vectors
// along the last loop.
#include "rubato/Target/CPU/EmitSupport.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace rubato::cpu {

TypedAttr uniformConstant(Value value) {
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return {};
  if (auto dense = dyn_cast<DenseElementsAttr>(attr))
    return dense.isSplat() ? cast<TypedAttr>(dense.getSplatValue<Attribute>())
                           : TypedAttr();
  return isa<FloatAttr, IntegerAttr>(attr) ? cast<TypedAttr>(attr)
                                           : TypedAttr();
}

bool isStorable(Type t) {
  return t.isF32() || t.isF64() || t.isInteger(8) || t.isInteger(32) ||
         t.isInteger(64);
}

bool isReadable(Value operand) {
  if (uniformConstant(operand))
    return true;
  return isa<BlockArgument>(operand) && isa<TensorType>(operand.getType()) &&
         isStorable(getElementTypeOrSelf(operand.getType()));
}

bool isVectorReadable(AffineMap map) {
  auto last = getAffineDimExpr(map.getNumDims() - 1, map.getContext());
  for (auto [i, e] : llvm::enumerate(map.getResults())) {
    if (!isa<AffineDimExpr>(e) && e != 0)
      return false;
    if (e == last && i + 1 != map.getNumResults())
      return false;
  }
  return true;
}

bool hasVectorPayload(linalg::GenericOp op) {
  Block &payload = *op.getBody();
  for (Operation &op : payload.without_terminator()) {
    if (isa<arith::ConstantOp, linalg::IndexOp>(op))
      continue;
    if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
            op.getDialect()) ||
        !OpTrait::hasElementwiseMappableTraits(&op))
      return false;
  }
  // Values from outside must be constants: they become splats.
  WalkResult result = payload.walk([&](Operation *op) {
    for (Value v : op->getOperands())
      if (v.getParentBlock() != &payload && !uniformConstant(v))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

bool isElementwise(linalg::GenericOp op) {
  if (op.getNumLoops() == 0 || op.getNumParallelLoops() != op.getNumLoops() ||
      !op.hasPureTensorSemantics())
    return false;
  for (OpOperand &out : op.getDpsInitsMutable())
    if (!op.getMatchingIndexingMap(&out).isIdentity() ||
        !isStorable(getElementTypeOrSelf(out.get().getType())))
      return false;
  for (OpOperand *in : op.getDpsInputOperands())
    if (!isVectorReadable(op.getMatchingIndexingMap(in)))
      return false;
  return !op.hasIndexSemantics() && hasVectorPayload(op) &&
         llvm::all_of(op.getRegionOutputArgs(),
                      [](Value v) { return v.use_empty(); });
}

Value splatConstant(OpBuilder &b, Location loc, TypedAttr attr, int64_t lanes) {
  if (lanes == 0)
    return arith::ConstantOp::create(b, loc, attr);
  auto type = VectorType::get({lanes}, attr.getType());
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, attr));
}

Value readOperand(OpBuilder &b, Location loc, const MemrefKernel &kernel,
                  Value operand, AffineMap map, ValueRange ivs, int64_t lanes) {
  if (TypedAttr attr = uniformConstant(operand))
    return splatConstant(b, loc, attr, lanes);
  Value memref = kernel.operand(operand);
  SmallVector<Value> indices;
  for (AffineExpr e : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(e);
    indices.push_back(dim ? ivs[dim.getPosition()] : constantIndex(b, loc, 0));
  }
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  if (lanes == 0)
    return memref::LoadOp::create(b, loc, memref, indices);
  auto type = VectorType::get({lanes}, element);
  if (map.isFunctionOfDim(map.getNumDims() - 1))
    return vector::LoadOp::create(b, loc, type, memref, indices);
  Value scalar = memref::LoadOp::create(b, loc, memref, indices);
  return vector::BroadcastOp::create(b, loc, type, scalar);
}

void storeAt(OpBuilder &b, Location loc, Value value, Value memref,
             ValueRange ivs) {
  if (isa<VectorType>(value.getType()))
    vector::StoreOp::create(b, loc, value, memref, ivs);
  else
    memref::StoreOp::create(b, loc, value, memref, ivs);
}

/// The loop index that `op` asks for, in each lane.
static Value emitIndex(OpBuilder &b, linalg::IndexOp op, ValueRange ivs,
                       int64_t lanes) {
  Value first = ivs[op.getDim()];
  if (lanes == 0)
    return first;
  Location loc = op.getLoc();
  auto type = VectorType::get({lanes}, b.getIndexType());
  Value all = vector::BroadcastOp::create(b, loc, type, first);
  if (op.getDim() + 1 != ivs.size())
    return all;
  return arith::AddIOp::create(b, loc, all,
                               vector::StepOp::create(b, loc, type));
}

SmallVector<Value> emitPayload(OpBuilder &b, linalg::GenericOp op,
                               ValueRange inputs, int64_t lanes,
                               ValueRange ivs) {
  Block &payload = *op.getBody();
  IRMapping map;
  map.map(payload.getArguments().take_front(inputs.size()), inputs);
  auto lookup = [&](Value v) {
    if (!map.contains(v))
      map.map(v, splatConstant(b, v.getLoc(), uniformConstant(v), lanes));
    return map.lookup(v);
  };
  for (Operation &old : payload.without_terminator()) {
    if (isa<arith::ConstantOp>(old))
      continue; // made when it is used
    if (auto index = dyn_cast<linalg::IndexOp>(old)) {
      map.map(index.getResult(), emitIndex(b, index, ivs, lanes));
      continue;
    }
    SmallVector<Value> operands =
        llvm::map_to_vector(old.getOperands(), lookup);
    Operation *copy = b.clone(old, map);
    copy->setOperands(operands);
    for (auto [from, to] : llvm::zip(old.getResults(), copy->getResults())) {
      if (lanes != 0)
        to.setType(VectorType::get({lanes}, from.getType()));
      map.map(from, to);
    }
  }
  return llvm::map_to_vector(payload.getTerminator()->getOperands(), lookup);
}

} // namespace rubato::cpu
