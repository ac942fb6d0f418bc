// tensor operations that make, read and re-label tensors.
#include "tools/rubato-interp/Rules.h"
#include "tools/rubato-interp/Walk.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace rubato::interp {

namespace {

/// The place in row-major order of the element that `indices` name.
FailureOr<int64_t> placeOf(const Call &call, Type type,
                           ArrayRef<Value> indices) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
  int64_t place = 0;
  for (auto [size, index] : llvm::zip_equal(shape, indices)) {
    if (index.asInt() < 0 || index.asInt() >= size)
      return call.op->emitOpError("index ")
             << index.asInt() << " lies outside a dimension of " << size;
    place = place * size + index.asInt();
  }
  return place;
}

LogicalResult extract(const Call &call) {
  const Value &tensor = call.operands[0];
  FailureOr<int64_t> place =
      placeOf(call, tensor.type(), call.operands.drop_front());
  if (failed(place))
    return failure();
  return withElement(tensor.element(), [&](auto zero) {
    using T = decltype(zero);
    return call.yield(
        Value::of<T>(call.resultType(), {tensor.elements<T>()[*place]}));
  });
}

LogicalResult insert(const Call &call) {
  const Value &scalar = call.operands[0], &tensor = call.operands[1];
  FailureOr<int64_t> place =
      placeOf(call, tensor.type(), call.operands.drop_front(2));
  if (failed(place))
    return failure();
  return withElement(tensor.element(), [&](auto zero) {
    using T = decltype(zero);
    return call.yield(
        Value::build<T>(call.resultType(), [&](MutableArrayRef<T> out) {
          llvm::copy(tensor.elements<T>(), out.begin());
          out[*place] = scalar.elements<T>()[0];
        }));
  });
}

LogicalResult fromElements(const Call &call) {
  return withElement(*elementOf(call.resultType()), [&](auto zero) {
    using T = decltype(zero);
    return call.yield(
        Value::build<T>(call.resultType(), [&](MutableArrayRef<T> out) {
          for (auto [to, from] : llvm::zip(out, call.operands))
            to = from.template elements<T>()[0];
        }));
  });
}

LogicalResult splat(const Call &call) {
  return withElement(*elementOf(call.resultType()), [&](auto zero) {
    using T = decltype(zero);
    return call.yield(
        Value::build<T>(call.resultType(), [&](MutableArrayRef<T> out) {
          llvm::fill(out, call.operands[0].elements<T>()[0]);
        }));
  });
}

/// Nobody may read the elements of an empty tensor; zeros are as good as any
/// and make runs repeatable.
LogicalResult empty(const Call &call) {
  return call.yield(*Value::zero(call.resultType()));
}

/// Casts and reshapes: the same elements under another type.
LogicalResult relabel(const Call &call) {
  auto type = cast<RankedTensorType>(call.resultType());
  if (type.getNumElements() != call.operands[0].size())
    return call.op->emitOpError("changes the number of elements from ")
           << call.operands[0].size() << " to " << type.getNumElements();
  return call.yield(call.operands[0].view(type));
}

LogicalResult dim(const Call &call) {
  auto shape = cast<RankedTensorType>(call.operands[0].type()).getShape();
  int64_t i = call.operands[1].asInt();
  if (i < 0 || i >= int64_t(shape.size()))
    return call.op->emitOpError("there is no dimension ") << i;
  return call.yield(Value::integer(call.resultType(), shape[i]));
}

LogicalResult rank(const Call &call) {
  auto type = cast<RankedTensorType>(call.operands[0].type());
  return call.yield(Value::integer(call.resultType(), type.getRank()));
}

} // namespace

void addTensorRules(Rules &rules) {
  rules.add<tensor::ExtractOp>(extract);
  rules.add<tensor::InsertOp>(insert);
  rules.add<tensor::FromElementsOp>(fromElements);
  rules.add<tensor::SplatOp>(splat);
  rules.add<tensor::EmptyOp>(empty);
  rules.add<tensor::CastOp>(relabel);
  rules.add<tensor::ReshapeOp>(relabel);
  rules.add<tensor::ExpandShapeOp>(relabel);
  rules.add<tensor::CollapseShapeOp>(relabel);
  rules.add<tensor::DimOp>(dim);
  rules.add<tensor::RankOp>(rank);
}

} // namespace rubato::interp
