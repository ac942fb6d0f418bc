// Values of constants in the IR.
#include "tools/rubato-interp/Value.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;

namespace rubato::interp {

static FailureOr<Value> fromDense(DenseElementsAttr dense) {
  auto type = dense.getType();
  if (isa<IntegerType, IndexType>(type.getElementType()))
    return Value::build<int64_t>(type, [&](MutableArrayRef<int64_t> out) {
      if (dense.isSplat())
        return llvm::fill(out, dense.getSplatValue<APInt>().getSExtValue());
      for (auto [x, value] : llvm::zip(out, dense.getValues<APInt>()))
        x = value.getSExtValue();
    });
  return withElement(*elementOf(type), [&](auto zero) {
    using T = decltype(zero);
    return Value::build<T>(type, [&](MutableArrayRef<T> out) {
      llvm::copy(dense.getValues<T>(), out.begin());
    });
  });
}

/// Resources hold raw bytes; those of the types that we store as they are.
static FailureOr<Value> fromResource(DenseResourceElementsAttr resource) {
  auto type = dyn_cast<RankedTensorType>(resource.getType());
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!type || !blob || integerWidth(type) != 64)
    return failure();
  return withElement(*elementOf(type), [&](auto zero) -> FailureOr<Value> {
    using T = decltype(zero);
    ArrayRef<char> bytes = blob->getData();
    if (bytes.size() != size_t(type.getNumElements()) * sizeof(T))
      return failure();
    return Value::build<T>(type, [&](MutableArrayRef<T> out) {
      if (!bytes.empty())
        std::memcpy(out.data(), bytes.data(), bytes.size());
    });
  });
}

FailureOr<Value> Value::fromAttr(TypedAttr attribute) {
  if (!isSupported(attribute.getType()))
    return failure();
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return Value::integer(integer.getType(), integer.getValue().getSExtValue());
  if (auto real = dyn_cast<FloatAttr>(attribute))
    return Value::real(real.getType(), real.getValueAsDouble());
  if (auto dense = dyn_cast<DenseElementsAttr>(attribute))
    return fromDense(dense);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute))
    return fromResource(resource);
  return failure();
}

} // namespace rubato::interp
