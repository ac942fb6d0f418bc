// Arithmetic on integers that are known while importing. Exporters compute
// the targets of Reshape this way.
#include "NodeImporter.h"

#include <algorithm>

using namespace mlir;
using namespace rubato;

LogicalResult rubato::importShape(NodeImporter &node) {
  SmallVector<int64_t> shape = node.shape(0);
  auto rank = static_cast<int64_t>(shape.size());
  FailureOr<int64_t> start = node.intAttr("start", 0);
  FailureOr<int64_t> end = node.intAttr("end", rank);
  if (failed(start) || failed(end))
    return failure();
  // Counted from the end if negative, then cut to the range.
  auto clamp = [&](int64_t value) {
    value = std::clamp(value, -rank, rank);
    return value < 0 ? value + rank : value;
  };
  int64_t first = clamp(*start), last = std::max(clamp(*end), first);
  Ints ints;
  ints.values.assign(shape.begin() + first, shape.begin() + last);
  ints.dims.push_back(static_cast<int64_t>(ints.values.size()));
  return node.result(std::move(ints));
}

LogicalResult rubato::importGather(NodeImporter &node) {
  const Ints *data = node.ints(0), *indices = node.ints(1);
  if (!data || !indices)
    return node.unsupported("on data");
  if (data->dims.size() != 1)
    return node.unsupported("on a matrix of integers");
  Ints result{indices->dims, {}};
  auto count = static_cast<int64_t>(data->values.size());
  for (int64_t index : indices->values) {
    if (index < -count || index >= count)
      return node.error("takes element " + Twine(index) + " of " +
                        Twine(count));
    result.values.push_back(data->values[index < 0 ? index + count : index]);
  }
  return node.result(std::move(result));
}

LogicalResult rubato::importConcat(NodeImporter &node) {
  if (!node.allInts())
    return node.unsupported("of data");
  Ints result;
  for (size_t i = 0; i < node.inputCount(); ++i) {
    if (!node.hasInput(i))
      return node.error("lacks its input " + Twine(i));
    const Ints *part = node.ints(i);
    if (part->dims.size() != 1)
      return node.unsupported("of matrices of integers");
    result.values.append(part->values);
    // Inputs can double the size at every node.
    if (result.values.size() > static_cast<size_t>(maxInts))
      break;
  }
  result.dims.push_back(static_cast<int64_t>(result.values.size()));
  return node.result(std::move(result));
}

LogicalResult rubato::importSlice(NodeImporter &node) {
  if (!node.allInts())
    return node.unsupported("of data");
  const Ints *data = node.ints(0);
  auto isOne = [&](size_t input) {
    return node.ints(input)->values.size() == 1;
  };
  if (data->dims.size() != 1)
    return node.unsupported("of a matrix of integers");
  if (!isOne(1) || !isOne(2) || (node.hasInput(3) && !isOne(3)) ||
      (node.hasInput(4) && !isOne(4)))
    return node.error("slices a vector along several axes");
  auto count = static_cast<int64_t>(data->values.size());
  int64_t step = node.hasInput(4) ? node.ints(4)->values[0] : 1;
  if (step == 0)
    return node.error("has step 0");
  auto clamp = [&](int64_t value, int64_t low, int64_t high) {
    value = std::clamp(value, -count - 1, count);
    return std::clamp(value < 0 ? value + count : value, low, high);
  };
  // Going backwards the end lies one before the first element.
  int64_t low = step > 0 ? 0 : -1, high = step > 0 ? count : count - 1;
  int64_t start = clamp(node.ints(1)->values[0], low, high);
  int64_t end = clamp(node.ints(2)->values[0], low, high);
  step = std::clamp(step, -count - 1, count + 1);
  Ints result;
  for (int64_t i = start; step > 0 ? i < end : i > end; i += step)
    result.values.push_back(data->values[i]);
  result.dims.push_back(static_cast<int64_t>(result.values.size()));
  return node.result(std::move(result));
}

/// Computes one element; false on overflow or division by zero.
static bool compute(llvm::StringRef op, int64_t a, int64_t b, int64_t &result) {
  if (op == "Add")
    return !__builtin_add_overflow(a, b, &result);
  if (op == "Sub" || op == "Neg")
    return !__builtin_sub_overflow(a, b, &result);
  if (op == "Mul")
    return !__builtin_mul_overflow(a, b, &result);
  if (b == 0 || (a == INT64_MIN && b == -1))
    return false;
  result = a / b;
  return true;
}

LogicalResult rubato::importIntegerArithmetic(NodeImporter &node) {
  llvm::StringRef op = node.node.opType;
  Ints zero{{}, {0}};
  const Ints *a = op == "Neg" ? &zero : node.ints(0);
  const Ints *b = op == "Neg" ? node.ints(0) : node.ints(1);
  // One number meets all elements of the other; the rest must be equal.
  bool aIsOne = a->values.size() == 1, bIsOne = b->values.size() == 1;
  if (!aIsOne && !bIsOne && a->dims != b->dims)
    return node.unsupported("on integers of shapes " + shapeText(a->dims) +
                            " and " + shapeText(b->dims));
  Ints result;
  result.dims = aIsOne && (!bIsOne || b->dims.size() > a->dims.size())
                    ? b->dims
                    : a->dims;
  size_t count = aIsOne ? b->values.size() : a->values.size();
  for (size_t i = 0; i < count; ++i)
    if (!compute(op, a->values[aIsOne ? 0 : i], b->values[bIsOne ? 0 : i],
                 result.values.emplace_back()))
      return node.error("overflows or divides by zero");
  return node.result(std::move(result));
}
