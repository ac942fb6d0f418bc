// Elementwise operators, softmax, casts and constants.
#include "NodeImporter.h"

#include "dialects/nn/Nn.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace rubato;

LogicalResult rubato::importBinary(NodeImporter &node) {
  if (node.allInts())
    return importIntegerArithmetic(node);
  if (!node.requireFloats())
    return failure();
  Value lhs = node.value(0), rhs = node.value(1);
  std::optional<SmallVector<int64_t>> shape =
      broadcastShapes(shapeOf(lhs), shapeOf(rhs));
  if (!shape)
    return node.error("combines shapes " + shapeText(shapeOf(lhs)) + " and " +
                      shapeText(shapeOf(rhs)) + ", which do not broadcast");
  if (!onnx::elementCount({shape->begin(), shape->end()}))
    return node.error("has an absurdly large result");
  lhs = node.broadcast(lhs, *shape);
  rhs = node.broadcast(rhs, *shape);
  llvm::StringRef op = node.node.opType;
  if (op == "Add")
    return node.result(arith::AddFOp::create(node.builder, node.loc, lhs, rhs));
  if (op == "Sub")
    return node.result(arith::SubFOp::create(node.builder, node.loc, lhs, rhs));
  if (op == "Mul")
    return node.result(arith::MulFOp::create(node.builder, node.loc, lhs, rhs));
  return node.result(arith::DivFOp::create(node.builder, node.loc, lhs, rhs));
}

LogicalResult rubato::importUnary(NodeImporter &node) {
  llvm::StringRef op = node.node.opType;
  if (op == "Neg" && node.allInts())
    return importIntegerArithmetic(node);
  if (!node.requireFloats())
    return failure();
  Value input = node.value(0);
  if (op == "Neg")
    return node.result(arith::NegFOp::create(node.builder, node.loc, input));
  if (op == "Relu")
    return node.result(nn::ReluOp::create(node.builder, node.loc, input));
  if (op == "Sigmoid")
    return node.result(nn::SigmoidOp::create(node.builder, node.loc, input));
  return node.result(math::TanhOp::create(node.builder, node.loc, input));
}

LogicalResult rubato::importSoftmax(NodeImporter &node) {
  if (!node.requireFloats())
    return failure();
  Value input = node.value(0);
  FailureOr<int64_t> attribute = node.intAttr("axis", -1);
  if (failed(attribute))
    return failure();
  FailureOr<int64_t> axis =
      node.axis(*attribute, static_cast<int64_t>(shapeOf(input).size()));
  if (failed(axis))
    return failure();
  if (node.node.opType == "Softmax")
    return node.result(
        nn::SoftmaxOp::create(node.builder, node.loc, input, *axis));
  return node.result(
      nn::LogSoftmaxOp::create(node.builder, node.loc, input, *axis));
}

LogicalResult rubato::importCast(NodeImporter &node) {
  FailureOr<int64_t> attribute = node.intAttr("to", 0);
  if (failed(attribute))
    return failure();
  auto to = static_cast<onnx::DataType>(*attribute);
  std::string name(onnx::typeName(to));
  if (const Ints *ints = node.ints(0)) {
    if (to == onnx::DataType::Int64 || to == onnx::DataType::Int32)
      return node.forward();
    if (!onnx::isFloating(to))
      return node.unsupported("to " + name);
    SmallVector<Attribute> elements;
    for (int64_t value : ints->values)
      elements.push_back(node.builder.getFloatAttr(node.importer.floatType(),
                                                   static_cast<double>(value)));
    auto type = RankedTensorType::get(ints->dims, node.importer.floatType());
    return node.result(
        arith::ConstantOp::create(node.builder, node.loc,
                                  DenseElementsAttr::get(type, elements)),
        to);
  }
  Value input = node.value(0);
  // All floating-point types are one here, so a cast between them is nothing.
  Type from = getElementTypeOrSelf(input);
  Type target = node.importer.elementType(to);
  if (from == target)
    return node.result(input, to);
  if (!isa_and_nonnull<FloatType>(target) || !from.isInteger())
    return node.unsupported("to " + name);
  auto type = RankedTensorType::get(shapeOf(input), target);
  return node.result(
      arith::SIToFPOp::create(node.builder, node.loc, type, input), to);
}

LogicalResult rubato::importIdentity(NodeImporter &node) {
  return node.forward();
}

LogicalResult rubato::importConstant(NodeImporter &node) {
  // Floating-point constants are stored tensors and never come here, unless
  // they are an output of the model.
  const onnx::Attribute *value = node.node.attribute("value");
  if (!value || value->kind != onnx::Attribute::Kind::Tensor)
    return node.unsupported("without a numeric value");
  const onnx::Tensor &tensor = value->tensor;
  if (onnx::isFloating(tensor.type))
    return node.unsupported("as an output of the model");
  if (tensor.elements() > maxInts)
    return node.unsupported("with more than " + llvm::Twine(maxInts) +
                            " integers");
  Ints ints{{tensor.dims.begin(), tensor.dims.end()}, {}};
  for (int64_t i = 0, e = tensor.elements(); i < e; ++i)
    ints.values.push_back(tensor.intAt(i));
  return node.result(std::move(ints));
}
