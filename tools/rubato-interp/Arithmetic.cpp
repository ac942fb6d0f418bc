// Sums and rearrangements of what members send.
#include "tools/rubato-interp/Arithmetic.h"

using namespace mlir;

namespace rubato::interp {

Value sumOf(const Value &a, const Value &b) {
  if (!a.isKnown() || !b.isKnown())
    return Value::opaque(a.type());
  return withElement(a.element(), [&](auto zero) {
    using T = decltype(zero);
    return Value::build<T>(a.type(), [&](MutableArrayRef<T> out) {
      ArrayRef<T> x = a.elements<T>(), y = b.elements<T>();
      for (size_t i = 0; i != out.size(); ++i)
        if constexpr (std::is_same_v<T, int64_t>)
          out[i] = int64_t(uint64_t(x[i]) + uint64_t(y[i]));
        else
          out[i] = x[i] + y[i];
    });
  });
}

Value scaled(const Value &value, double factor) {
  if (!value.isKnown() || value.element() == Element::Integer)
    return value;
  return withElement(value.element(), [&](auto zero) {
    using T = decltype(zero);
    return Value::build<T>(value.type(), [&](MutableArrayRef<T> out) {
      ArrayRef<T> x = value.elements<T>();
      for (size_t i = 0; i != out.size(); ++i)
        out[i] = x[i] * T(factor);
    });
  });
}

Value sumOf(ArrayRef<const Values *> members, size_t i) {
  Value sum = (*members[0])[i];
  for (const Values *each : members.drop_front())
    sum = sumOf(sum, (*each)[i]);
  return sum;
}

/// `type` with another size in front of all dimensions but `drop`.
static RankedTensorType withFront(Type type, int64_t size, unsigned drop) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape{size};
  llvm::append_range(shape, tensor.getShape().drop_front(drop));
  return RankedTensorType::get(shape, tensor.getElementType());
}

Values sumOfRows(ArrayRef<const Values *> members, size_t i) {
  const Value &someRows = (*members[0])[i + 1];
  for (const Values *each : members)
    if (!(*each)[i].isKnown() || !(*each)[i + 1].isKnown())
      return {Value::opaque((*each)[i].type()),
              Value::opaque((*each)[i + 1].type())};
  return withElement(someRows.element(), [&](auto zero) -> Values {
    using T = decltype(zero);
    std::map<int64_t, std::vector<T>> sums;
    int64_t width = 1;
    for (int64_t size :
         cast<RankedTensorType>(someRows.type()).getShape().drop_front())
      width *= size;
    for (const Values *each : members) {
      const Value &indices = (*each)[i];
      ArrayRef<T> rows = (*each)[i + 1].elements<T>();
      for (int64_t row = 0; row != indices.size(); ++row) {
        auto &sum = sums.try_emplace(indices.intAt(row), width).first->second;
        for (int64_t j = 0; j != width; ++j)
          sum[j] += rows[row * width + j];
      }
    }
    int64_t count = sums.size();
    Value indices =
        Value::build<int64_t>(withFront((*members[0])[i].type(), count, 1),
                              [&](MutableArrayRef<int64_t> out) {
                                size_t at = 0;
                                for (auto &[index, row] : sums)
                                  out[at++] = index;
                              });
    Value rows = Value::build<T>(withFront(someRows.type(), count, 1),
                                 [&](MutableArrayRef<T> out) {
                                   size_t at = 0;
                                   for (auto &[index, row] : sums)
                                     for (T each : row)
                                       out[at++] = each;
                                 });
    return {indices, rows};
  });
}

Value gather(ArrayRef<const Values *> members, size_t i) {
  Type type = withFront((*members[0])[i].type(), members.size(), 0);
  for (const Values *each : members)
    if (!(*each)[i].isKnown())
      return Value::opaque(type);
  return withElement((*members[0])[i].element(), [&](auto zero) {
    using T = decltype(zero);
    return Value::build<T>(type, [&](MutableArrayRef<T> out) {
      size_t at = 0;
      for (const Values *each : members)
        for (T element : (*each)[i].elements<T>())
          out[at++] = element;
    });
  });
}

Value partOf(const Value &value, int64_t r, int64_t n) {
  auto tensor = cast<RankedTensorType>(value.type());
  int64_t size = tensor.getDimSize(0);
  int64_t from = size * r / n, to = size * (r + 1) / n;
  RankedTensorType type = withFront(tensor, to - from, 1);
  if (!value.isKnown())
    return Value::opaque(type);
  int64_t width = size == 0 ? 1 : value.size() / size;
  return value.view(type, from * width);
}

} // namespace rubato::interp
