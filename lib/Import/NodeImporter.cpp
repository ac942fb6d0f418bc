// Access to one node's inputs and attributes, and common building blocks.
#include "NodeImporter.h"

#include "dialects/nn/Nn.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace rubato;

NodeImporter::NodeImporter(Importer &importer, const onnx::Node &node)
    : importer(importer), node(node), builder(importer.builder),
      loc(importer.location(node.label())) {}

std::string rubato::shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (auto [i, dim] : llvm::enumerate(shape))
    text += (i ? ", " : "") + std::to_string(dim);
  return text + "]";
}

std::optional<SmallVector<int64_t>>
rubato::broadcastShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  SmallVector<int64_t> shape(a);
  size_t shift = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t &dim = shape[shift + i];
    if (dim != b[i] && dim != 1 && b[i] != 1)
      return std::nullopt;
    if (dim == 1)
      dim = b[i];
  }
  return shape;
}

//===----------------------------------------------------------------------===//
// Inputs and attributes
//===----------------------------------------------------------------------===//

const Ints *NodeImporter::ints(size_t index) {
  Imported &input = importer.lookup(node.inputs[index]);
  return input.ints ? &*input.ints : nullptr;
}

bool NodeImporter::allInts() {
  for (size_t i = 0; i < inputCount(); ++i)
    if (hasInput(i) && !ints(i))
      return false;
  return true;
}

Value NodeImporter::value(size_t index) {
  Imported &input = importer.lookup(node.inputs[index]);
  if (input.value)
    return input.value;
  auto type = RankedTensorType::get(input.ints->dims, builder.getI64Type());
  auto elements =
      DenseElementsAttr::get(type, llvm::ArrayRef<int64_t>(input.ints->values));
  return arith::ConstantOp::create(builder, loc, elements);
}

SmallVector<int64_t> NodeImporter::shape(size_t index) {
  Imported &input = importer.lookup(node.inputs[index]);
  return input.ints ? input.ints->dims
                    : SmallVector<int64_t>(shapeOf(input.value));
}

FailureOr<int64_t> NodeImporter::intAttr(llvm::StringRef name,
                                         int64_t otherwise) {
  const onnx::Attribute *attribute = node.attribute(name);
  if (!attribute)
    return otherwise;
  if (attribute->kind != onnx::Attribute::Kind::Int)
    return error("attribute '" + name + "' is not an integer");
  return attribute->i;
}

FailureOr<double> NodeImporter::floatAttr(llvm::StringRef name,
                                          double otherwise) {
  const onnx::Attribute *attribute = node.attribute(name);
  if (!attribute)
    return otherwise;
  if (attribute->kind != onnx::Attribute::Kind::Float)
    return error("attribute '" + name + "' is not a number");
  return static_cast<double>(attribute->f);
}

FailureOr<llvm::ArrayRef<int64_t>>
NodeImporter::intsAttr(llvm::StringRef name) {
  const onnx::Attribute *attribute = node.attribute(name);
  if (!attribute)
    return llvm::ArrayRef<int64_t>();
  if (attribute->kind != onnx::Attribute::Kind::Ints)
    return error("attribute '" + name + "' is not a list of integers");
  return llvm::ArrayRef<int64_t>(attribute->ints);
}

FailureOr<int64_t> NodeImporter::axis(int64_t value, int64_t rank,
                                      bool pastEnd) {
  int64_t limit = pastEnd ? rank : rank - 1;
  if (value < -rank || value > limit)
    return error("has axis " + llvm::Twine(value) + " of a tensor of rank " +
                 llvm::Twine(rank));
  return value < 0 ? value + rank : value;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

LogicalResult NodeImporter::result(Value value) {
  return result(value, importer.lookup(node.inputs.front()).type);
}

LogicalResult NodeImporter::result(Value value, onnx::DataType type) {
  importer.lookup(node.outputs.front()) = {value, {}, type};
  return success();
}

LogicalResult NodeImporter::result(Ints ints) {
  if (ints.values.size() > static_cast<size_t>(maxInts))
    return unsupported("on more than " + llvm::Twine(maxInts) + " integers");
  importer.lookup(node.outputs.front()).ints = std::move(ints);
  return success();
}

LogicalResult NodeImporter::forward() {
  Imported input = importer.lookup(node.inputs.front());
  importer.lookup(node.outputs.front()) = std::move(input);
  return success();
}

LogicalResult NodeImporter::error(const llvm::Twine &message,
                                  const llvm::Twine &remedy) {
  importer.diagnostics.error(node.where(), message.str(), remedy.str());
  return failure();
}

LogicalResult NodeImporter::unsupported(const llvm::Twine &reason) {
  importer.missing[node.opType].push_back({&node, reason.str()});
  return failure();
}

bool NodeImporter::requireFloats() {
  for (size_t i = 0; i < inputCount(); ++i) {
    if (!hasInput(i))
      continue;
    if (ints(i) || !isa<FloatType>(getElementTypeOrSelf(value(i)))) {
      (void)unsupported("on integers");
      return false;
    }
    onnx::DataType first = importer.lookup(node.inputs[0]).type;
    onnx::DataType type = importer.lookup(node.inputs[i]).type;
    if (type != first) {
      (void)error("mixes " + std::string(onnx::typeName(first)) + " and " +
                      std::string(onnx::typeName(type)),
                  "export the whole model in one floating-point type");
      return false;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

RankedTensorType NodeImporter::typeLike(Value value,
                                        llvm::ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, getElementTypeOrSelf(value));
}

/// Moving the elements of a splat gives a splat: keeps numbers readable.
static Value splatOf(OpBuilder &builder, Location loc, Value value,
                     RankedTensorType type) {
  SplatElementsAttr splat;
  if (!matchPattern(value, m_Constant(&splat)))
    return {};
  return arith::ConstantOp::create(builder, loc, splat.resizeSplat(type));
}

Value NodeImporter::reshape(Value value, llvm::ArrayRef<int64_t> shape) {
  if (shapeOf(value) == shape)
    return value;
  RankedTensorType type = typeLike(value, shape);
  if (Value splat = splatOf(builder, loc, value, type))
    return splat;
  return nn::ReshapeOp::create(builder, loc, type, value);
}

Value NodeImporter::broadcast(Value value, llvm::ArrayRef<int64_t> shape) {
  llvm::ArrayRef<int64_t> from = shapeOf(value);
  if (from == shape)
    return value;
  RankedTensorType type = typeLike(value, shape);
  if (Value splat = splatOf(builder, loc, value, type))
    return splat;
  // nn.broadcast adds dimensions; those of size 1 that grow must go first.
  SmallVector<int64_t> kept, dims;
  size_t shift = shape.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i)
    if (from[i] == shape[shift + i]) {
      kept.push_back(from[i]);
      dims.push_back(static_cast<int64_t>(shift + i));
    }
  return nn::BroadcastOp::create(builder, loc, type, reshape(value, kept),
                                 dims);
}

Value NodeImporter::scale(Value value, double factor) {
  if (factor == 1.0)
    return value;
  Value number = nn::splat(builder, loc, value.getType(), factor);
  return arith::MulFOp::create(builder, loc, value, number);
}
