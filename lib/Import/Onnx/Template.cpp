// Serialising the inference model so that the place of every weight is known.
//
// A protobuf message is the concatenation of its fields in any order. So
// protobuf writes everything that is small, and the weights are appended by
// hand: their offsets follow from the lengths, nothing has to be searched.
#include "rubato/Import/Template.h"

#include "onnx.pb.h"

#include <unordered_set>

using namespace rubato::onnx;

/// Wire tags: field number * 8 + 2 (length-delimited).
constexpr char tagModelGraph = 7 * 8 + 2;
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
/// An initializer of the template: a head that protobuf wrote, then the data.
struct Piece {
  Tensor tensor;
  bool isPatched;
  std::string head; // the tensor's fields up to the data's first byte

  uint64_t size() const { return head.size() + tensor.data.size(); }
};
} // namespace

static Piece makePiece(const Tensor &tensor, const std::string &name,
                       bool isPatched) {
  Piece piece{tensor, isPatched, {}};
  piece.tensor.name = name;
  proto::Tensor message;
  write(piece.tensor, message);
  piece.head = message.SerializeAsString();
  piece.head += tagTensorRawData + varint(tensor.data.size());
  return piece;
}

std::optional<Template> rubato::onnx::buildTemplate(const Model &model,
                                                    const RolePlan &plan,
                                                    Diagnostics &diagnostics) {
  proto::Model head;
  head.set_ir_version(model.irVersion);
  head.set_producer_name("rubato");
  head.add_opset_import()->set_version(model.opset);

  // Nodes whose output has become an initializer go.
  std::unordered_set<int64_t> dropped;
  std::vector<Piece> pieces;
  std::unordered_set<std::string> written;
  for (const StoredTensor &each : plan.stored) {
    bool isPatched = each.role == Role::Parameter;
    if (each.definer >= 0) {
      if (!each.isCopy && !isPatched)
        continue; // a Constant node stays as it is
      dropped.insert(each.definer);
    }
    written.insert(each.name);
    pieces.push_back(makePiece(each.tensor, each.name, isPatched));
  }
  std::unordered_set<std::string> used;
  for (const Node &node : model.nodes)
    used.insert(node.inputs.begin(), node.inputs.end());
  for (const Tensor &tensor : model.initializers)
    if (used.count(tensor.name) && !written.count(tensor.name))
      pieces.push_back(makePiece(tensor, tensor.name, false));

  proto::Graph graph;
  graph.set_name(model.graphName);
  for (const ValueInfo &input : model.inputs)
    write(input, *graph.add_input());
  for (const ValueInfo &output : model.outputs)
    write(output, *graph.add_output());
  for (size_t i = 0; i < model.nodes.size(); ++i)
    if (!dropped.count(static_cast<int64_t>(i)))
      write(model.nodes[i], *graph.add_node());

  std::string graphHead = graph.SerializeAsString();
  uint64_t graphSize = graphHead.size();
  for (const Piece &piece : pieces)
    graphSize += 1 + varint(piece.size()).size() + piece.size();
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
  result.bytes.reserve(result.bytes.size() + graphSize + 16);
  result.bytes += tagModelGraph + varint(graphSize) + graphHead;
  for (const Piece &piece : pieces) {
    result.bytes += tagGraphInitializer + varint(piece.size()) + piece.head;
    if (piece.isPatched)
      result.patches.push_back({piece.tensor.name, result.bytes.size(),
                                piece.tensor.data.size(), piece.tensor.type});
    result.bytes += piece.tensor.data;
  }
  return result;
}
