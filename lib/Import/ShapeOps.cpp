// Operators that give the same elements another shape.
#include "NodeImporter.h"

#include "dialects/nn/Nn.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace rubato;

/// The first input under another shape of as many elements.
static LogicalResult reshaped(NodeImporter &node, ArrayRef<int64_t> shape) {
  if (const Ints *ints = node.ints(0))
    return node.result(Ints{SmallVector<int64_t>(shape), ints->values});
  return node.result(node.reshape(node.value(0), shape));
}

LogicalResult rubato::importFlatten(NodeImporter &node) {
  SmallVector<int64_t> from = node.shape(0);
  FailureOr<int64_t> attribute = node.intAttr("axis", 1);
  if (failed(attribute))
    return failure();
  FailureOr<int64_t> axis = node.axis(
      *attribute, static_cast<int64_t>(from.size()), /*pastEnd=*/true);
  if (failed(axis))
    return failure();
  int64_t shape[] = {1, 1};
  for (auto [i, dim] : llvm::enumerate(from))
    shape[static_cast<int64_t>(i) < *axis ? 0 : 1] *= dim;
  return reshaped(node, shape);
}

LogicalResult rubato::importReshape(NodeImporter &node) {
  FailureOr<int64_t> allowZero = node.intAttr("allowzero", 0);
  if (failed(allowZero))
    return failure();
  const Ints *target = node.ints(1);
  if (!target)
    return node.unsupported("to a shape computed from data");
  SmallVector<int64_t> from = node.shape(0), shape = target->values;
  int64_t open = -1;
  for (auto [i, dim] : llvm::enumerate(shape)) {
    if (dim == 0 && !*allowZero) {
      if (i >= from.size())
        return node.error("copies dimension " + Twine(i) +
                          " of a tensor of shape " + shapeText(from));
      dim = from[i];
    }
    if (dim != -1)
      continue;
    if (open >= 0)
      return node.error("leaves two dimensions open in " +
                        shapeText(target->values));
    open = static_cast<int64_t>(i);
    dim = 1;
  }
  std::optional<int64_t> count = onnx::elementCount({from.begin(), from.end()});
  std::optional<int64_t> given =
      onnx::elementCount({shape.begin(), shape.end()});
  if (open >= 0 && given && *given > 0 && *count % *given == 0) {
    shape[open] = *count / *given;
    given = count;
  }
  if (!given || given != count)
    return node.error(
        "cannot give shape " + shapeText(from) + " the shape " +
            shapeText(target->values),
        "a file with a fixed batch works with that batch only: export with a "
        "dynamic batch dimension");
  return reshaped(node, shape);
}

LogicalResult rubato::importTranspose(NodeImporter &node) {
  SmallVector<int64_t> from = node.shape(0);
  FailureOr<ArrayRef<int64_t>> attribute = node.intsAttr("perm");
  if (failed(attribute))
    return failure();
  SmallVector<int64_t> perm(*attribute);
  if (!node.node.attribute("perm"))
    for (size_t i = from.size(); i-- > 0;)
      perm.push_back(static_cast<int64_t>(i));
  if (perm.size() != from.size() || !isPermutationVector(perm))
    return node.error("has perm " + shapeText(perm) +
                      ", which is no permutation of " + Twine(from.size()) +
                      " dimensions");
  if (node.ints(0))
    return from.size() < 2 ? node.forward() : node.unsupported("on integers");
  if (llvm::is_sorted(perm))
    return node.forward();
  SmallVector<int64_t> shape = applyPermutation(from, perm);
  Value input = node.value(0);
  return node.result(nn::TransposeOp::create(
      node.builder, node.loc, node.typeLike(input, shape), input, perm));
}

/// The axes of Squeeze or Unsqueeze, as positions in a tensor of `rank`.
static FailureOr<llvm::SmallSet<int64_t, 4>> axesOf(NodeImporter &node,
                                                    int64_t rank) {
  const Ints *ints = node.ints(1);
  if (!ints)
    return node.unsupported("with axes computed from data");
  llvm::SmallSet<int64_t, 4> axes;
  for (int64_t value : ints->values) {
    FailureOr<int64_t> axis = node.axis(value, rank);
    if (failed(axis))
      return failure();
    if (!axes.insert(*axis).second)
      return node.error("names axis " + Twine(value) + " twice");
  }
  return axes;
}

LogicalResult rubato::importSqueeze(NodeImporter &node) {
  SmallVector<int64_t> from = node.shape(0), shape;
  if (!node.hasInput(1)) {
    llvm::copy_if(from, std::back_inserter(shape),
                  [](int64_t dim) { return dim != 1; });
    return reshaped(node, shape);
  }
  auto axes = axesOf(node, static_cast<int64_t>(from.size()));
  if (failed(axes))
    return failure();
  for (auto [i, dim] : llvm::enumerate(from)) {
    if (!axes->contains(static_cast<int64_t>(i)))
      shape.push_back(dim);
    else if (dim != 1)
      return node.error("removes dimension " + Twine(i) + " of shape " +
                        shapeText(from) + ", which is not 1");
  }
  return reshaped(node, shape);
}

LogicalResult rubato::importUnsqueeze(NodeImporter &node) {
  SmallVector<int64_t> from = node.shape(0), shape;
  const Ints *ints = node.ints(1);
  size_t rank = from.size() + (ints ? ints->values.size() : 0);
  auto axes = axesOf(node, static_cast<int64_t>(rank));
  if (failed(axes))
    return failure();
  const int64_t *next = from.begin();
  for (size_t i = 0; i < rank; ++i)
    shape.push_back(axes->contains(static_cast<int64_t>(i)) ? 1 : *next++);
  return reshaped(node, shape);
}
