// The nn dialect: flat vectors, products, shapes and activations.
#include "tools/rubato-interp/Elementwise.h"
#include "tools/rubato-interp/Rules.h"
#include "tools/rubato-interp/Walk.h"

#include "dialects/nn/Nn.h"

#include <cmath>

using namespace mlir;

namespace rubato::interp {

namespace {

ArrayRef<int64_t> shapeOf(Type type) {
  return cast<RankedTensorType>(type).getShape();
}

nn::LayoutOp findLayout(Operation *op, FlatSymbolRefAttr name) {
  auto layout = SymbolTable::lookupNearestSymbolFrom<nn::LayoutOp>(op, name);
  if (!layout)
    op->emitOpError("there is no layout ") << name;
  return layout;
}

LogicalResult unpack(const Call &call) {
  auto op = cast<nn::UnpackOp>(call.op);
  nn::LayoutOp layout = findLayout(op, op.getLayoutAttr());
  if (!layout)
    return failure();
  nn::SlotAttr slot = layout.lookup(op.getSlot());
  auto type = cast<RankedTensorType>(call.resultType());
  const Value &flat = call.operands[0];
  if (!slot || slot.getType() != type || slot.getOffset() < 0 ||
      slot.getOffset() > flat.size() - type.getNumElements())
    return op.emitOpError("reads '")
           << op.getSlot() << "', which is no such slot of its layout";
  return call.yield(flat.view(type, slot.getOffset()));
}

LogicalResult pack(const Call &call) {
  auto op = cast<nn::PackOp>(call.op);
  nn::LayoutOp layout = findLayout(op, op.getLayoutAttr());
  if (!layout)
    return failure();
  auto type = cast<RankedTensorType>(call.resultType());
  bool fits = layout.getSlots().size() == call.operands.size() &&
              layout.getSize() == type.getNumElements();
  if (fits)
    for (auto [slot, value] : llvm::zip(layout.slots(), call.operands))
      fits &= slot.getType() == value.type() && slot.getOffset() >= 0 &&
              slot.getOffset() <= type.getNumElements() - value.size();
  if (!fits)
    return op.emitOpError("does not give the slots of its layout");
  return withElement(*elementOf(type), [&](auto zero) {
    using T = decltype(zero);
    return call.yield(Value::build<T>(type, [&](MutableArrayRef<T> out) {
      for (auto [slot, value] : llvm::zip(layout.slots(), call.operands))
        llvm::copy(value.elements<T>(), out.begin() + slot.getOffset());
    }));
  });
}

/// Sums over the inner dimension from its first element to its last, in the
/// element type, one rounding per product and per sum.
LogicalResult matmul(const Call &call) {
  auto op = cast<nn::MatmulOp>(call.op);
  ArrayRef<int64_t> left = shapeOf(call.operands[0].type());
  ArrayRef<int64_t> shape = shapeOf(call.resultType());
  int64_t rows = shape[0], columns = shape[1];
  int64_t depth = left[op.getTransposeLhs() ? 0 : 1];
  int64_t aRow = op.getTransposeLhs() ? 1 : depth;
  int64_t aDepth = op.getTransposeLhs() ? rows : 1;
  int64_t bDepth = op.getTransposeRhs() ? 1 : columns;
  int64_t bColumn = op.getTransposeRhs() ? depth : 1;
  return withElement(*elementOf(call.resultType()), [&](auto zero) {
    using T = decltype(zero);
    const T *a = call.operands[0].elements<T>().data();
    const T *b = call.operands[1].elements<T>().data();
    return call.yield(
        Value::build<T>(call.resultType(), [&](MutableArrayRef<T> out) {
          llvm::fill(out, T(0));
          // Column by column in the innermost loop, so that the order of each
          // sum is kept while neighbours are computed together.
          for (int64_t i = 0; i != rows; ++i)
            for (int64_t k = 0; k != depth; ++k) {
              T factor = a[i * aRow + k * aDepth];
              for (int64_t j = 0; j != columns; ++j)
                out[i * columns + j] += factor * b[k * bDepth + j * bColumn];
            }
        }));
  });
}

/// A result whose element at each point is the operand's element at the place
/// that `strides` gives it.
LogicalResult gather(const Call &call, const Sizes &strides) {
  return withElement(call.operands[0].element(), [&](auto zero) {
    using T = decltype(zero);
    ArrayRef<T> in = call.operands[0].elements<T>();
    return call.yield(
        Value::build<T>(call.resultType(), [&](MutableArrayRef<T> out) {
          size_t i = 0;
          for (Walk w(shapeOf(call.resultType()), {strides}); w.valid();
               w.next())
            out[i++] = in[w.place(0)];
        }));
  });
}

LogicalResult broadcast(const Call &call) {
  Sizes from = rowMajorStrides(shapeOf(call.operands[0].type()));
  Sizes strides(shapeOf(call.resultType()).size(), 0);
  for (auto [i, dim] :
       llvm::enumerate(cast<nn::BroadcastOp>(call.op).getDims()))
    strides[dim] = from[i];
  return gather(call, strides);
}

LogicalResult transpose(const Call &call) {
  Sizes from = rowMajorStrides(shapeOf(call.operands[0].type())), strides;
  for (int64_t dim : cast<nn::TransposeOp>(call.op).getPerm())
    strides.push_back(from[dim]);
  return gather(call, strides);
}

LogicalResult reshape(const Call &call) {
  return call.yield(
      call.operands[0].view(cast<RankedTensorType>(call.resultType())));
}

/// Sums in row-major order of the operand, in the element type.
LogicalResult reduce(const Call &call) {
  auto op = cast<nn::ReduceOp>(call.op);
  if (op.getKind() != nn::ReduceKind::Sum)
    return op.emitError("rubato-interp knows no reduction but sum");
  ArrayRef<int64_t> shape = shapeOf(call.operands[0].type());
  Sizes to = rowMajorStrides(shapeOf(call.resultType())), strides;
  size_t kept = 0;
  for (size_t d = 0; d != shape.size(); ++d)
    strides.push_back(
        llvm::is_contained(op.getDims(), int64_t(d)) ? 0 : to[kept++]);
  return withElement(call.operands[0].element(), [&](auto zero) {
    // Integers wrap, which only unsigned ones may.
    using T = decltype(zero);
    using Sum = std::conditional_t<std::is_same_v<T, int64_t>, uint64_t, T>;
    ArrayRef<T> in = call.operands[0].elements<T>();
    return call.yield(
        Value::build<T>(call.resultType(), [&](MutableArrayRef<T> out) {
          llvm::fill(out, T(0));
          size_t i = 0;
          for (Walk w(shape, {strides}); w.valid(); w.next())
            out[w.place(0)] = T(Sum(out[w.place(0)]) + Sum(in[i++]));
        }));
  });
}

} // namespace

void addNnRules(Rules &rules) {
  rules.add<nn::UnpackOp>(unpack);
  rules.add<nn::PackOp>(pack);
  rules.add<nn::MatmulOp>(matmul);
  rules.add<nn::BroadcastOp>(broadcast);
  rules.add<nn::TransposeOp>(transpose);
  rules.add<nn::ReshapeOp>(reshape);
  rules.add<nn::ReduceOp>(reduce);
}

void addNnLoops(Loops &loops) {
  addFloatUnary<nn::ReluOp, [](auto x) {
    return x > 0 || std::isnan(x) ? x : decltype(x)(0);
  }>(loops);
  addFloatUnary<nn::SigmoidOp, [](auto x) {
    return decltype(x)(1) / (decltype(x)(1) + std::exp(-x));
  }>(loops);
}

} // namespace rubato::interp
