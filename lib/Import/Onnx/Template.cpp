// Serialising the inference model with holes for the weights.
//
// A protobuf message is the concatenation of its fields in any order. So
// protobuf writes everything that is small, and the weights are left out by
// hand: where they belong follows from the lengths, which count them.
#include "rubato/Import/Template.h"

#include "onnx.pb.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <unordered_set>

using namespace rubato::onnx;

/// Wire tags: field number * 8 + 2 (length-delimited).
constexpr char tagModelGraph = 7 * 8 + 2;
constexpr char tagGraphNode = 1 * 8 + 2;
constexpr char tagGraphInitializer = 5 * 8 + 2;
constexpr char tagTensorRawData = 9 * 8 + 2;

static std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7)
    bytes.push_back(static_cast<char>(value | 128));
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

static void write(const Tensor &from, proto::Tensor &to) {
  to.set_name(from.name);
  to.set_data_type(static_cast<int>(from.type));
  to.mutable_dims()->Add(from.dims.begin(), from.dims.end());
}

static void write(const Attribute &from, proto::Attribute &to) {
  to.set_name(from.name);
  switch (from.kind) {
  case Attribute::Kind::Float:
    to.set_type(1);
    to.set_f(from.f);
    break;
  case Attribute::Kind::Int:
    to.set_type(2);
    to.set_i(from.i);
    break;
  case Attribute::Kind::String:
    to.set_type(3);
    to.set_s(from.s);
    break;
  case Attribute::Kind::Tensor:
    to.set_type(4);
    write(from.tensor, *to.mutable_t());
    to.mutable_t()->set_raw_data(std::string(from.tensor.data));
    break;
  case Attribute::Kind::Floats:
    to.set_type(6);
    to.mutable_floats()->Add(from.floats.begin(), from.floats.end());
    break;
  case Attribute::Kind::Ints:
    to.set_type(7);
    to.mutable_ints()->Add(from.ints.begin(), from.ints.end());
    break;
  case Attribute::Kind::Strings:
    to.set_type(8);
    for (const std::string &text : from.strings)
      to.add_strings(text);
    break;
  case Attribute::Kind::Other:
    break; // only on operators that the importer refuses
  }
}

static void write(const Node &from, proto::Node &to) {
  to.set_name(from.name);
  to.set_op_type(from.opType);
  to.set_domain(from.domain);
  for (const std::string &input : from.inputs)
    to.add_input(input);
  for (const std::string &output : from.outputs)
    to.add_output(output);
  for (const Attribute &attribute : from.attributes)
    write(attribute, *to.add_attribute());
}

static void write(const ValueInfo &from, proto::ValueInfo &to) {
  to.set_name(from.name);
  proto::TensorType &type = *to.mutable_type()->mutable_tensor_type();
  type.set_elem_type(static_cast<int>(from.type));
  if (!from.hasShape)
    return;
  type.mutable_shape();
  for (const Dim &dim : from.dims) {
    proto::Dimension &dimension = *type.mutable_shape()->add_dim();
    if (!dim.symbol.empty())
      dimension.set_dim_param(dim.symbol);
    else if (dim.value >= 0)
      dimension.set_dim_value(dim.value);
  }
}

namespace {
/// A field of the graph: what stands before the data of its tensor, the data,
/// and what stands behind them.
struct Piece {
  std::string head;
  std::string_view data;
  std::string tail;
  const StoredTensor *hole = nullptr; // the data are left out

  uint64_t size() const { return head.size() + data.size() + tail.size(); }
};
} // namespace

/// Whether the bits of a tensor can be had back from elements of type `stored`.
static bool survives(const Tensor &tensor, DataType stored) {
  if (tensor.type == stored)
    return true;
  for (int64_t i = 0, end = tensor.elements(); i < end; ++i) {
    double value = tensor.floatAt(i);
    if (stored == DataType::Float)
      value = static_cast<float>(value);
    auto narrow = static_cast<float>(value);
    bool isWide = tensor.type == DataType::Double;
    size_t size = byteSize(tensor.type);
    if (std::memcmp(tensor.data.data() + static_cast<size_t>(i) * size,
                    isWide ? static_cast<const void *>(&value) : &narrow,
                    size) != 0)
      return false;
  }
  return true;
}

/// Whether the weights file holds this tensor, so that the template need not.
static bool isHole(const StoredTensor &each, DataType stored) {
  return each.role == Role::Parameter ||
         (each.role == Role::Frozen && survives(each.tensor, stored));
}

static Piece initializerPiece(const Tensor &tensor, const std::string &name) {
  Tensor named = tensor;
  named.name = name;
  proto::Tensor message;
  write(named, message);
  std::string head = message.SerializeAsString();
  head += tagTensorRawData + varint(tensor.data.size());
  Piece piece;
  piece.head =
      tagGraphInitializer + varint(head.size() + tensor.data.size()) + head;
  piece.data = tensor.data;
  return piece;
}

static std::string nodeField(const Node &node) {
  proto::Node message;
  write(node, message);
  std::string bytes = message.SerializeAsString();
  return tagGraphNode + varint(bytes.size()) + bytes;
}

/// A Constant node without the data of its tensor. They begin where the node
/// first differs from one with other data.
static Piece constantPiece(const Node &node, const StoredTensor &each) {
  std::string other(each.tensor.data);
  for (char &byte : other)
    byte = static_cast<char>(~byte);
  Node changed = node;
  for (Attribute &attribute : changed.attributes)
    if (attribute.name == "value")
      attribute.tensor.data = other;
  std::string field = nodeField(node), differs = nodeField(changed);
  auto begin = std::mismatch(field.begin(), field.end(), differs.begin()).first;
  Piece piece;
  piece.head.assign(field.begin(), begin);
  piece.data = each.tensor.data;
  piece.tail.assign(begin + static_cast<std::ptrdiff_t>(piece.data.size()),
                    field.end());
  piece.hole = &each;
  return piece;
}

std::optional<Template> rubato::onnx::buildTemplate(const Model &model,
                                                    const RolePlan &plan,
                                                    DataType stored,
                                                    Diagnostics &diagnostics) {
  proto::Model head;
  head.set_ir_version(model.irVersion);
  head.set_producer_name("rubato");
  head.add_opset_import()->set_version(model.opset);

  // Nodes whose output has become an initializer go.
  std::unordered_set<int64_t> dropped;
  std::unordered_map<int64_t, const StoredTensor *> constants; // by node
  std::vector<Piece> initializers;
  std::unordered_set<std::string> written;
  for (const StoredTensor &each : plan.stored) {
    bool hole = isHole(each, stored);
    if (each.definer >= 0 && !each.isCopy && each.role != Role::Parameter) {
      if (hole && !each.tensor.data.empty())
        constants[each.definer] = &each;
      continue; // a Constant node stays one
    }
    if (each.definer >= 0)
      dropped.insert(each.definer);
    written.insert(each.name);
    initializers.push_back(initializerPiece(each.tensor, each.name));
    if (hole)
      initializers.back().hole = &each;
  }
  std::unordered_set<std::string> used;
  for (const Node &node : model.nodes)
    used.insert(node.inputs.begin(), node.inputs.end());
  for (const Tensor &tensor : model.initializers)
    if (used.count(tensor.name) && !written.count(tensor.name))
      initializers.push_back(initializerPiece(tensor, tensor.name));

  std::vector<Piece> pieces;
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    auto index = static_cast<int64_t>(i);
    if (auto found = constants.find(index); found != constants.end())
      pieces.push_back(constantPiece(model.nodes[i], *found->second));
    else if (!dropped.count(index))
      pieces.push_back({nodeField(model.nodes[i]), {}, {}});
  }
  proto::Graph graph;
  graph.set_name(model.graphName);
  for (const ValueInfo &input : model.inputs)
    write(input, *graph.add_input());
  for (const ValueInfo &output : model.outputs)
    write(output, *graph.add_output());
  pieces.push_back({graph.SerializeAsString(), {}, {}});
  std::move(initializers.begin(), initializers.end(),
            std::back_inserter(pieces));

  uint64_t graphSize = 0;
  for (const Piece &piece : pieces)
    graphSize += piece.size();
  constexpr uint64_t limit = (uint64_t(1) << 31) - (uint64_t(1) << 20);
  if (graphSize > limit) {
    diagnostics.unsupported("",
                            "has more than 2 GiB of weights, which one "
                            "ONNX file cannot hold",
                            "train a smaller model");
    return std::nullopt;
  }

  Template result;
  result.bytes = head.SerializeAsString();
  result.bytes += tagModelGraph + varint(graphSize);
  uint64_t leftOut = 0;
  for (const Piece &piece : pieces) {
    result.bytes += piece.head;
    if (piece.hole) {
      result.holes.push_back({piece.hole->name, result.bytes.size() + leftOut,
                              piece.data.size(), piece.hole->tensor.type});
      leftOut += piece.data.size();
    } else {
      result.bytes += piece.data;
    }
    result.bytes += piece.tail;
  }
  return result;
}
