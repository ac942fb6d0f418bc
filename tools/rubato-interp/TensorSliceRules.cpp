// tensor operations that cut tensors up and put them together.
#include "tools/rubato-interp/Rules.h"
#include "tools/rubato-interp/Walk.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace rubato::interp {

namespace {

ArrayRef<int64_t> shapeOf(Type type) {
  return cast<RankedTensorType>(type).getShape();
}

/// Part of a tensor: where it begins, its sizes and its strides there.
struct Slice {
  int64_t start = 0;
  Sizes sizes, strides;
};

/// Static numbers where they are, otherwise the next of `dynamic`.
Sizes resolve(ArrayRef<int64_t> fixed, ArrayRef<Value> dynamic) {
  Sizes numbers;
  for (int64_t number : fixed) {
    if (ShapedType::isDynamic(number)) {
      number = dynamic.front().asInt();
      dynamic = dynamic.drop_front();
    }
    numbers.push_back(number);
  }
  return numbers;
}

/// The slice of a tensor of `type` that `op` names; its dynamic numbers are
/// the operands from the first of them on.
FailureOr<Slice> sliceOf(const Call &call, OffsetSizeAndStrideOpInterface op,
                         Type type) {
  ArrayRef<Value> dynamic =
      call.operands.drop_front(op.getOffsetSizeAndStrideStartOperandIndex());
  size_t offsetCount = op.getOffsets().size();
  size_t sizeCount = op.getSizes().size();
  Sizes offsets = resolve(op.getStaticOffsets(), dynamic);
  Slice slice;
  slice.sizes = resolve(op.getStaticSizes(), dynamic.drop_front(offsetCount));
  Sizes steps = resolve(op.getStaticStrides(),
                        dynamic.drop_front(offsetCount + sizeCount));
  Sizes strides = rowMajorStrides(shapeOf(type));
  for (auto [d, size] : llvm::enumerate(shapeOf(type))) {
    int64_t count = slice.sizes[d], first = offsets[d], last;
    bool inside = count >= 0 && first >= 0 && first <= size;
    if (inside && count > 0)
      inside = !llvm::MulOverflow(count - 1, steps[d], last) &&
               !llvm::AddOverflow(last, first, last) && last >= 0 &&
               last < size && first < size;
    if (!inside)
      return call.op->emitOpError("the slice of ")
             << count << " from " << first << " by " << steps[d]
             << " lies outside dimension " << d << " of " << size;
    slice.start += first * strides[d];
    slice.strides.push_back(steps[d] * strides[d]);
  }
  return slice;
}

int64_t pointsOf(const Slice &slice) {
  int64_t points = 1;
  for (int64_t size : slice.sizes)
    points *= size;
  return points;
}

LogicalResult extractSlice(const Call &call) {
  auto op = cast<tensor::ExtractSliceOp>(call.op);
  const Value &source = call.operands[0];
  FailureOr<Slice> slice = sliceOf(call, op, source.type());
  if (failed(slice))
    return failure();
  return withElement(source.element(), [&](auto zero) -> LogicalResult {
    using T = decltype(zero);
    ArrayRef<T> in = source.elements<T>();
    if (cast<RankedTensorType>(call.resultType()).getNumElements() !=
        pointsOf(*slice))
      return call.op->emitOpError("the slice is not of the result's size");
    return call.yield(
        Value::build<T>(call.resultType(), [&](MutableArrayRef<T> out) {
          size_t i = 0;
          for (Walk w(slice->sizes, {slice->strides}, {slice->start});
               w.valid(); w.next())
            out[i++] = in[w.place(0)];
        }));
  });
}

/// `destination` with `source`'s elements in the places of `slice`.
LogicalResult insertInto(const Call &call, const Value &source,
                         const Value &destination, const Slice &slice) {
  if (source.size() != pointsOf(slice))
    return call.op->emitOpError("the slice is not of the source's size");
  return withElement(source.element(), [&](auto zero) {
    using T = decltype(zero);
    return call.yield(
        Value::build<T>(call.resultType(), [&](MutableArrayRef<T> out) {
          llvm::copy(destination.elements<T>(), out.begin());
          size_t i = 0;
          for (Walk w(slice.sizes, {slice.strides}, {slice.start}); w.valid();
               w.next())
            out[w.place(0)] = source.elements<T>()[i++];
        }));
  });
}

LogicalResult insertSlice(const Call &call) {
  auto op = cast<tensor::InsertSliceOp>(call.op);
  FailureOr<Slice> slice = sliceOf(call, op, call.resultType());
  if (failed(slice))
    return failure();
  return insertInto(call, call.operands[0], call.operands[1], *slice);
}

LogicalResult concat(const Call &call) {
  auto op = cast<tensor::ConcatOp>(call.op);
  int64_t dim = op.getDim();
  // Each operand is a run of `row` elements in every row of the result.
  int64_t inner = 1;
  ArrayRef<int64_t> shape = shapeOf(call.resultType());
  for (int64_t size : shape.drop_front(dim + 1))
    inner *= size;
  return withElement(*elementOf(call.resultType()), [&](auto zero) {
    using T = decltype(zero);
    return call.yield(
        Value::build<T>(call.resultType(), [&](MutableArrayRef<T> out) {
          int64_t rows = 1, at = 0;
          for (int64_t size : shape.take_front(dim))
            rows *= size;
          for (const Value &part : call.operands) {
            int64_t run = shapeOf(part.type())[dim] * inner;
            for (int64_t i = 0; i != rows; ++i)
              llvm::copy(part.elements<T>().slice(i * run, run),
                         out.begin() + i * shape[dim] * inner + at);
            at += run;
          }
        }));
  });
}

/// Padding by one number that is known before the padding is.
LogicalResult pad(const Call &call) {
  auto op = cast<tensor::PadOp>(call.op);
  mlir::Value filler = op.getConstantPaddingValue();
  Value number;
  TypedAttr attribute;
  if (filler && matchPattern(filler, m_Constant(&attribute))) {
    FailureOr<Value> known = Value::fromAttr(attribute);
    if (succeeded(known))
      number = *known;
  } else if (filler && call.captured) {
    number = call.captured->lookup(filler);
  }
  if (number.isOpaque())
    return call.yield(Value::opaque(call.resultType()));
  if (!number)
    return op.emitError("rubato-interp pads with one number only, which does "
                        "not depend on the place");
  Slice slice;
  size_t lowCount = op.getLow().size();
  Sizes low = resolve(op.getStaticLow(), call.operands.drop_front());
  Sizes high =
      resolve(op.getStaticHigh(), call.operands.drop_front(1 + lowCount));
  slice.sizes = Sizes(shapeOf(call.operands[0].type()));
  ArrayRef<int64_t> shape = shapeOf(call.resultType());
  slice.strides = rowMajorStrides(shape);
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (low[d] < 0 || high[d] < 0 || low[d] > size || high[d] > size ||
        low[d] + slice.sizes[d] + high[d] != size)
      return op.emitOpError("the paddings of dimension ")
             << d << " do not give its size " << size;
    slice.start += low[d] * slice.strides[d];
  }
  return withElement(number.element(), [&](auto zero) {
    using T = decltype(zero);
    Value filled =
        Value::build<T>(call.resultType(), [&](MutableArrayRef<T> out) {
          llvm::fill(out, number.elements<T>()[0]);
        });
    return insertInto(call, call.operands[0], filled, slice);
  });
}

} // namespace

void addTensorSliceRules(Rules &rules) {
  rules.add<tensor::ExtractSliceOp>(extractSlice);
  rules.add<tensor::InsertSliceOp>(insertSlice);
  rules.add<tensor::ConcatOp>(concat);
  rules.add<tensor::PadOp>(pad);
}

} // namespace rubato::interp
