// Verifiers of the nn dialect: every rule on shapes and symbols.
#include "dialects/nn/Nn.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace rubato::nn;

#define GET_OP_CLASSES
#include "dialects/nn/NnOps.cpp.inc"

Value rubato::nn::splat(OpBuilder &builder, Location loc, Type type,
                        double value) {
  auto shaped = cast<ShapedType>(type);
  TypedAttr element;
  if (auto floatType = dyn_cast<FloatType>(shaped.getElementType()))
    element = builder.getFloatAttr(floatType, value);
  else
    element = builder.getIntegerAttr(shaped.getElementType(),
                                     static_cast<int64_t>(value));
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(shaped, element));
}

//===----------------------------------------------------------------------===//
// Stored tensors
//===----------------------------------------------------------------------===//

LogicalResult GetOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto parameter =
      symbols.lookupNearestSymbolFrom<ParameterOp>(*this, getParameterAttr());
  if (!parameter)
    return emitOpError("names no nn.parameter: ") << getParameterAttr();
  if (parameter.getType() != getType())
    return emitOpError("has type ")
           << getType() << " but the parameter has " << parameter.getType();
  return success();
}

int64_t LayoutOp::getSize() {
  int64_t size = 0;
  for (SlotAttr slot : slots())
    size += slot.getType().getNumElements();
  return size;
}

SlotAttr LayoutOp::lookup(StringRef name) {
  for (SlotAttr slot : slots())
    if (slot.getName() == name)
      return slot;
  return {};
}

LogicalResult LayoutOp::verify() {
  int64_t next = 0;
  llvm::StringSet<> names;
  Type element;
  for (SlotAttr slot : slots()) {
    if (!names.insert(slot.getName()).second)
      return emitOpError("has two slots called '") << slot.getName() << "'";
    if (!slot.getType().hasStaticShape())
      return emitOpError("slot '")
             << slot.getName() << "' must have a static shape";
    if (slot.getOffset() != next)
      return emitOpError("slot '")
             << slot.getName() << "' lies at " << slot.getOffset()
             << ", expected " << next << " (slots are contiguous)";
    if (element && element != slot.getType().getElementType())
      return emitOpError("slot '")
             << slot.getName() << "' has another element type than the others";
    element = slot.getType().getElementType();
    next += slot.getType().getNumElements();
  }
  return success();
}

/// The layout an operation names, checked against its flat vector's length.
static FailureOr<LayoutOp> lookupLayout(Operation *op, FlatSymbolRefAttr name,
                                        RankedTensorType flat,
                                        SymbolTableCollection &symbols) {
  auto layout = symbols.lookupNearestSymbolFrom<LayoutOp>(op, name);
  if (!layout)
    return op->emitOpError("names no nn.layout: ") << name;
  if (layout.getSize() != flat.getDimSize(0))
    return op->emitOpError("flat vector has ")
           << flat.getDimSize(0) << " elements but " << name << " has "
           << layout.getSize();
  return layout;
}

LogicalResult UnpackOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto layout =
      lookupLayout(*this, getLayoutAttr(), getFlat().getType(), symbols);
  if (failed(layout))
    return failure();
  SlotAttr slot = layout->lookup(getSlot());
  if (!slot)
    return emitOpError("names no slot of ")
           << getLayoutAttr() << ": '" << getSlot() << "'";
  if (slot.getType() != getType())
    return emitOpError("has type ")
           << getType() << " but the slot has " << slot.getType();
  return success();
}

LogicalResult PackOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto layout = lookupLayout(*this, getLayoutAttr(), getType(), symbols);
  if (failed(layout))
    return failure();
  if (layout->getSlots().size() != getValues().size())
    return emitOpError("packs ")
           << getValues().size() << " values but " << getLayoutAttr() << " has "
           << layout->getSlots().size() << " slots";
  for (auto [slot, value] : llvm::zip(layout->slots(), getValues()))
    if (slot.getType() != value.getType())
      return emitOpError("value for slot '")
             << slot.getName() << "' has type " << value.getType()
             << ", expected " << slot.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Products, shapes
//===----------------------------------------------------------------------===//

LogicalResult MatmulOp::verify() {
  auto rows = [](RankedTensorType t, bool transposed) {
    return t.getDimSize(transposed ? 1 : 0);
  };
  auto cols = [](RankedTensorType t, bool transposed) {
    return t.getDimSize(transposed ? 0 : 1);
  };
  RankedTensorType a = getLhs().getType(), b = getRhs().getType();
  int64_t m = rows(a, getTransposeLhs()), k = cols(a, getTransposeLhs());
  int64_t kb = rows(b, getTransposeRhs()), n = cols(b, getTransposeRhs());
  if (k != kb)
    return emitOpError("sums over ") << k << " columns of the left but " << kb
                                     << " rows of the right operand";
  if (a.getElementType() != b.getElementType())
    return emitOpError("mixes element types");
  auto expected = RankedTensorType::get({m, n}, a.getElementType());
  if (getType() != expected)
    return emitOpError("must give ") << expected << ", not " << getType();
  return success();
}

LogicalResult BroadcastOp::verify() {
  auto from = cast<RankedTensorType>(getInput().getType());
  auto to = cast<RankedTensorType>(getType());
  if (static_cast<int64_t>(getDims().size()) != from.getRank())
    return emitOpError("needs one entry of dims per dimension of its operand");
  int64_t last = -1;
  for (auto [i, dim] : llvm::enumerate(getDims())) {
    if (dim <= last || dim >= to.getRank())
      return emitOpError("dims must ascend and lie inside the result's rank");
    if (from.getDimSize(i) != to.getDimSize(dim))
      return emitOpError("dimension ")
             << i << " of the operand is " << from.getDimSize(i)
             << " but dimension " << dim << " of the result is "
             << to.getDimSize(dim);
    last = dim;
  }
  if (from.getElementType() != to.getElementType())
    return emitOpError("must keep the element type");
  return success();
}

LogicalResult ReduceOp::verify() {
  auto from = cast<RankedTensorType>(getInput().getType());
  llvm::SmallBitVector reduced(from.getRank());
  for (int64_t dim : getDims()) {
    if (dim < 0 || dim >= from.getRank() || reduced.test(dim))
      return emitOpError("dims must be distinct and inside the operand's rank");
    reduced.set(dim);
  }
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < from.getRank(); ++i)
    if (!reduced.test(i))
      shape.push_back(from.getDimSize(i));
  auto expected = RankedTensorType::get(shape, from.getElementType());
  if (getType() != expected)
    return emitOpError("must give ") << expected << ", not " << getType();
  return success();
}

LogicalResult TransposeOp::verify() {
  auto from = cast<RankedTensorType>(getInput().getType());
  if (!isPermutationVector(getPerm()) ||
      static_cast<int64_t>(getPerm().size()) != from.getRank())
    return emitOpError(
        "perm must be a permutation of the operand's dimensions");
  SmallVector<int64_t> shape;
  for (int64_t dim : getPerm())
    shape.push_back(from.getDimSize(dim));
  auto expected = RankedTensorType::get(shape, from.getElementType());
  if (getType() != expected)
    return emitOpError("must give ") << expected << ", not " << getType();
  return success();
}

LogicalResult ReshapeOp::verify() {
  auto from = cast<RankedTensorType>(getInput().getType());
  auto to = cast<RankedTensorType>(getType());
  if (from.getNumElements() != to.getNumElements())
    return emitOpError("cannot view ")
           << from.getNumElements() << " elements as " << to.getNumElements();
  if (from.getElementType() != to.getElementType())
    return emitOpError("must keep the element type");
  return success();
}

//===----------------------------------------------------------------------===//
// Scores and losses
//===----------------------------------------------------------------------===//

static LogicalResult verifyAxis(Operation *op, int64_t axis, Type type) {
  if (axis < 0 || axis >= cast<RankedTensorType>(type).getRank())
    return op->emitOpError("axis ") << axis << " lies outside " << type;
  return success();
}

LogicalResult SoftmaxOp::verify() {
  return verifyAxis(*this, getAxis(), getType());
}

LogicalResult LogSoftmaxOp::verify() {
  return verifyAxis(*this, getAxis(), getType());
}

/// All per-sample operands have one entry per row of the scores.
static LogicalResult verifyRows(Operation *op, RankedTensorType scores,
                                ValueRange perSample) {
  for (Value value : perSample) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getDimSize(0) != scores.getDimSize(0))
      return op->emitOpError("has ") << scores.getDimSize(0) << " rows but "
                                     << type << " as values per sample";
    if (isa<FloatType>(type.getElementType()) &&
        type.getElementType() != scores.getElementType())
      return op->emitOpError("mixes element types");
  }
  return success();
}

LogicalResult SoftmaxCrossEntropyOp::verify() {
  return verifyRows(*this, getLogits().getType(), {getLabels(), getLosses()});
}

LogicalResult SoftmaxCrossEntropyGradOp::verify() {
  return verifyRows(*this, getLogits().getType(), {getLabels(), getGradient()});
}

LogicalResult CountCorrectOp::verify() {
  return verifyRows(*this, getScores().getType(), {getLabels(), getWeights()});
}
