// Matrix products.
#include "NodeImporter.h"

#include "dialects/nn/Nn.h"

using namespace mlir;
using namespace rubato;

LogicalResult rubato::importGemm(NodeImporter &node) {
  FailureOr<double> alpha = node.floatAttr("alpha", 1.0);
  FailureOr<double> beta = node.floatAttr("beta", 1.0);
  FailureOr<int64_t> transA = node.intAttr("transA", 0);
  FailureOr<int64_t> transB = node.intAttr("transB", 0);
  if (failed(alpha) || failed(beta) || failed(transA) || failed(transB) ||
      !node.requireFloats())
    return failure();
  Value a = node.value(0), b = node.value(1);
  ArrayRef<int64_t> aShape = shapeOf(a), bShape = shapeOf(b);
  if (aShape.size() != 2 || bShape.size() != 2 ||
      aShape[*transA ? 0 : 1] != bShape[*transB ? 1 : 0])
    return node.error("multiplies shapes " + shapeText(aShape) +
                      (*transA ? " (transposed)" : "") + " and " +
                      shapeText(bShape) + (*transB ? " (transposed)" : ""));
  SmallVector<int64_t> shape = {aShape[*transA ? 1 : 0],
                                bShape[*transB ? 0 : 1]};
  if (!onnx::elementCount({shape[0], shape[1]}))
    return node.error("has an absurdly large result");
  Value product =
      nn::MatmulOp::create(node.builder, node.loc, node.typeLike(a, shape), a,
                           b, *transA != 0, *transB != 0);
  product = node.scale(product, *alpha);
  // A factor of zero is not dropped: 0 * NaN is NaN there too.
  if (!node.hasInput(2))
    return node.result(product);
  Value c = node.value(2);
  if (broadcastShapes(shapeOf(c), shape) != shape)
    return node.error("adds shape " + shapeText(shapeOf(c)) +
                      ", which does not broadcast to " + shapeText(shape));
  c = node.broadcast(node.scale(c, *beta), shape);
  return node.result(arith::AddFOp::create(node.builder, node.loc, product, c));
}

LogicalResult rubato::importMatMul(NodeImporter &node) {
  if (!node.requireFloats())
    return failure();
  Value a = node.value(0), b = node.value(1);
  ArrayRef<int64_t> aShape = shapeOf(a), bShape = shapeOf(b);
  if (aShape.empty() || bShape.empty())
    return node.error("multiplies a single number",
                      "use Mul for products with a number");
  int64_t inner = aShape.back();
  if (inner != bShape[bShape.size() == 1 ? 0 : bShape.size() - 2])
    return node.error("multiplies shapes " + shapeText(aShape) + " and " +
                      shapeText(bShape));
  if (bShape.size() > 2)
    return node.unsupported("of two batches of matrices");
  // A vector is a matrix of one row or one column; more dimensions on the
  // left are more rows.
  SmallVector<int64_t> result(aShape.drop_back());
  int64_t columns = bShape.size() == 1 ? 1 : bShape.back();
  if (bShape.size() == 2)
    result.push_back(columns);
  int64_t rows = 1;
  for (int64_t dim : aShape.drop_back())
    rows *= dim;
  if (!onnx::elementCount({rows, columns}))
    return node.error("has an absurdly large result");
  a = node.reshape(a, {rows, inner});
  b = node.reshape(b, {inner, columns});
  int64_t shape[] = {rows, columns};
  Value product = nn::MatmulOp::create(node.builder, node.loc,
                                       node.typeLike(a, shape), a, b,
                                       /*transpose_lhs=*/false,
                                       /*transpose_rhs=*/false);
  return node.result(node.reshape(product, result));
}
