// Loading a model: the file, its versions, its graph's contents.
#include "Reader.h"
#include "MappedFile.h"

#include <google/protobuf/stubs/logging.h>

#include <unordered_set>

using namespace rubato::onnx;

Model::Model() = default;
Model::~Model() = default;
Model::Model(Model &&) = default;
Model &Model::operator=(Model &&) = default;

const Tensor *Model::initializer(std::string_view name) const {
  for (const Tensor &tensor : initializers)
    if (tensor.name == name)
      return &tensor;
  return nullptr;
}

bool Reader::readVersions(const proto::Model &file) {
  if (file.ir_version() == 0 && !file.has_graph())
    return diagnostics.error("", "is not an ONNX model",
                             "give a file written by torch.onnx.export or "
                             "another ONNX exporter");
  model.irVersion = file.ir_version();
  if (model.irVersion < 7)
    return diagnostics.error(
        "",
        "has IR version " + std::to_string(model.irVersion) +
            "; Rubato reads 7 and newer",
        "export the model again with a newer exporter, opset 13 or later");
  for (const proto::OperatorSet &set : file.opset_import())
    if (set.domain().empty() || set.domain() == "ai.onnx")
      model.opset = set.version();
  if (model.opset == 0)
    return diagnostics.error("", "does not say which opset it uses",
                             "the file is damaged; export the model again");
  if (model.opset < 13)
    return diagnostics.error("",
                             "uses opset " + std::to_string(model.opset) +
                                 "; Rubato reads 13 and newer",
                             "export the model with opset_version=17, or run "
                             "onnx.version_converter on it");
  if (model.opset > 21)
    diagnostics.warning("",
                        "uses opset " + std::to_string(model.opset) +
                            ", newer than the tested ones (13 to 21)",
                        "if something is amiss, export with opset_version=18");
  model.producer = file.producer_name();
  model.producerVersion = file.producer_version();
  return true;
}

bool Reader::readValueInfo(const proto::ValueInfo &from, const char *what,
                           ValueInfo &to) {
  to.name = from.name();
  std::string where = std::string(what) + " '" + to.name + "'";
  if (!from.type().has_tensor_type())
    return diagnostics.unsupported(where, "is not a tensor",
                                   "export a model that takes and gives "
                                   "tensors, not sequences or maps");
  const proto::TensorType &type = from.type().tensor_type();
  to.type = static_cast<DataType>(type.elem_type());
  to.hasShape = type.has_shape();
  for (const proto::Dimension &dimension : type.shape().dim()) {
    Dim &dim = to.dims.emplace_back();
    if (dimension.value_case() == proto::Dimension::kDimParam)
      dim.symbol = dimension.dim_param();
    if (dimension.value_case() != proto::Dimension::kDimValue)
      continue;
    dim.value = dimension.dim_value();
    if (!elementCount({dim.value}))
      return diagnostics.error(where,
                               "has the dimension " + std::to_string(dim.value),
                               "the file is damaged; export the model again");
  }
  return true;
}

bool Reader::readAttribute(proto::Attribute &from, const std::string &where,
                           Attribute &to) {
  to.name = from.name();
  switch (from.type()) { // AttributeProto.AttributeType
  case 1:
    to.kind = Attribute::Kind::Float;
    to.f = from.f();
    return true;
  case 2:
    to.kind = Attribute::Kind::Int;
    to.i = from.i();
    return true;
  case 3:
    to.kind = Attribute::Kind::String;
    to.s = from.s();
    return true;
  case 4:
    to.kind = Attribute::Kind::Tensor;
    return readTensor(*from.mutable_t(), where, to.tensor);
  case 6:
    to.kind = Attribute::Kind::Floats;
    to.floats.assign(from.floats().begin(), from.floats().end());
    return true;
  case 7:
    to.kind = Attribute::Kind::Ints;
    to.ints.assign(from.ints().begin(), from.ints().end());
    return true;
  case 8:
    to.kind = Attribute::Kind::Strings;
    to.strings.assign(from.strings().begin(), from.strings().end());
    return true;
  default: // subgraphs and the like: the operator is one we do not have
    to.kind = Attribute::Kind::Other;
    return true;
  }
}

bool Reader::readNode(proto::Node &from, size_t index) {
  Node &to = model.nodes.emplace_back();
  to.opType = from.op_type();
  to.domain = from.domain() == "ai.onnx" ? "" : from.domain();
  to.inputs.assign(from.input().begin(), from.input().end());
  to.outputs.assign(from.output().begin(), from.output().end());
  to.name = from.name();
  if (to.name.empty())
    to.name = to.outputs.empty() || to.outputs.front().empty()
                  ? "#" + std::to_string(index)
                  : to.outputs.front();
  if (to.opType.empty())
    return diagnostics.error(to.where(), "names no operator",
                             "the file is damaged; export the model again");
  to.modulePath = modulePath(from);
  for (const proto::Entry &entry : from.metadata_props())
    if (entry.key() == "pkg.onnxscript.rewriter.rule_name")
      to.rewriteRule = entry.value();
  for (proto::Attribute &attribute : *from.mutable_attribute())
    if (!readAttribute(attribute, to.where(), to.attributes.emplace_back()))
      return false;
  if (to.opType == "Constant" && to.domain.empty())
    normalizeConstant(to);
  return true;
}

void Reader::normalizeConstant(Node &node) {
  if (node.attributes.size() != 1)
    return;
  Attribute &from = node.attributes.front();
  Attribute value;
  value.name = "value";
  value.kind = Attribute::Kind::Tensor;
  std::string bytes;
  auto fill = [&](DataType type, const auto *data, size_t count) {
    value.tensor.type = type;
    bytes.assign(reinterpret_cast<const char *>(data), count * sizeof(*data));
  };
  if (from.name == "value_float" && from.kind == Attribute::Kind::Float) {
    fill(DataType::Float, &from.f, 1);
  } else if (from.name == "value_int" && from.kind == Attribute::Kind::Int) {
    fill(DataType::Int64, &from.i, 1);
  } else if (from.name == "value_floats" &&
             from.kind == Attribute::Kind::Floats) {
    fill(DataType::Float, from.floats.data(), from.floats.size());
    value.tensor.dims = {static_cast<int64_t>(from.floats.size())};
  } else if (from.name == "value_ints" && from.kind == Attribute::Kind::Ints) {
    fill(DataType::Int64, from.ints.data(), from.ints.size());
    value.tensor.dims = {static_cast<int64_t>(from.ints.size())};
  } else {
    return;
  }
  model.storage.push_back(std::move(bytes));
  value.tensor.data = model.storage.back();
  node.attributes.assign(1, std::move(value));
}

bool Reader::readGraph(proto::Graph &graph) {
  model.graphName = graph.name();
  if (graph.sparse_initializer_size() > 0)
    return diagnostics.unsupported("", "has sparse initializers",
                                   "store the weights as dense tensors");
  std::unordered_set<std::string> stored;
  for (proto::Tensor &tensor : *graph.mutable_initializer()) {
    std::string where = "initializer '" + tensor.name() + "'";
    stored.insert(tensor.name());
    if (!readTensor(tensor, where, model.initializers.emplace_back()))
      return false;
  }
  for (const proto::ValueInfo &input : graph.input()) {
    // Files of IR 3 and tools that follow it list initializers as inputs too.
    if (stored.count(input.name()))
      continue;
    if (!readValueInfo(input, "input", model.inputs.emplace_back()))
      return false;
  }
  for (const proto::ValueInfo &output : graph.output())
    if (!readValueInfo(output, "output", model.outputs.emplace_back()))
      return false;
  if (model.outputs.empty())
    return diagnostics.error("", "has no output",
                             "the file is damaged; export the model again");
  size_t index = 0;
  for (proto::Node &node : *graph.mutable_node())
    if (!readNode(node, index++))
      return false;
  for (const proto::Entry &entry : graph.metadata_props())
    if (entry.key() == "pkg.torch.export.ExportedProgram.graph_signature")
      model.signature = parseSignature(entry.value());
  return orderNodes();
}

bool Reader::read(proto::Model &file) {
  return readVersions(file) && readGraph(*file.mutable_graph());
}

std::optional<Model> rubato::onnx::loadModel(std::string_view bytes,
                                             const std::string &path,
                                             Diagnostics &diagnostics) {
  constexpr size_t limit = (size_t(1) << 31) - 1; // protobuf's own
  if (bytes.size() > limit) {
    diagnostics.error("", "is larger than 2 GiB",
                      "export the model with its weights as external data");
    return std::nullopt;
  }
  proto::Model file;
  bool parsed;
  {
    google::protobuf::LogSilencer silencer; // we say it ourselves
    parsed = file.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  }
  if (!parsed) {
    diagnostics.error("", "is damaged or not an ONNX model",
                      "export or copy the model again");
    return std::nullopt;
  }
  Model model;
  model.path = path;
  if (!Reader(model, diagnostics).read(file))
    return std::nullopt;
  return model;
}

std::optional<Model> rubato::onnx::loadModel(const std::string &path,
                                             Diagnostics &diagnostics) {
  std::string problem;
  std::unique_ptr<MappedFile> file = MappedFile::open(path, problem);
  if (!file) {
    diagnostics.error("", "cannot be read: " + problem);
    return std::nullopt;
  }
  return loadModel(file->bytes(), path, diagnostics);
}
