// Small models for the reader's tests, made in memory.
#ifndef RUBATO_TEST_UNIT_IMPORT_TESTMODEL_H
#define RUBATO_TEST_UNIT_IMPORT_TESTMODEL_H

#include "rubato/Import/OnnxModel.h"

#include "onnx.pb.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace rubato::onnx::test {

inline proto::Tensor &addTensor(proto::Graph &graph, const std::string &name,
                                std::vector<int64_t> dims,
                                std::vector<float> values) {
  proto::Tensor &tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(1);
  tensor.mutable_dims()->Add(dims.begin(), dims.end());
  tensor.set_raw_data(std::string(reinterpret_cast<const char *>(values.data()),
                                  values.size() * sizeof(float)));
  return tensor;
}

inline proto::Node &addNode(proto::Graph &graph, const std::string &op,
                            const std::vector<std::string> &inputs,
                            const std::string &output) {
  proto::Node &node = *graph.add_node();
  node.set_op_type(op);
  node.set_name(output + "_node");
  for (const std::string &input : inputs)
    node.add_input(input);
  node.add_output(output);
  return node;
}

/// relu(x * w + b) with x [batch, 2], w [2, 2] and b [2].
inline proto::Model smallModel() {
  proto::Model model;
  model.set_ir_version(8);
  model.set_producer_name("test");
  model.add_opset_import()->set_version(17);
  proto::Graph &graph = *model.mutable_graph();
  graph.set_name("small");
  for (proto::ValueInfo *value : {graph.add_input(), graph.add_output()}) {
    proto::TensorType &type = *value->mutable_type()->mutable_tensor_type();
    type.set_elem_type(1);
    type.mutable_shape()->add_dim()->set_dim_param("batch");
    type.mutable_shape()->add_dim()->set_dim_value(2);
  }
  graph.mutable_input(0)->set_name("x");
  graph.mutable_output(0)->set_name("out");
  addTensor(graph, "w", {2, 2}, {1, 2, 3, 4});
  addTensor(graph, "b", {2}, {5, 6});
  addNode(graph, "MatMul", {"x", "w"}, "h");
  addNode(graph, "Add", {"h", "b"}, "s");
  addNode(graph, "Relu", {"s"}, "out");
  return model;
}

/// Reads `model` back; the text of all diagnostics goes to `text`.
inline std::optional<Model> load(const proto::Model &model,
                                 std::string *text = nullptr,
                                 const std::string &path = "small.onnx") {
  Diagnostics diagnostics("small.onnx");
  std::string bytes = model.SerializeAsString();
  std::optional<Model> result = loadModel(bytes, path, diagnostics);
  EXPECT_EQ(result.has_value(), !diagnostics.failed()) << diagnostics.str();
  if (text)
    *text = diagnostics.str();
  return result;
}

/// Expects that `model` is refused with `message` somewhere in the text.
inline void expectRefused(const proto::Model &model, const std::string &message,
                          const std::string &path = "small.onnx") {
  std::string text;
  EXPECT_FALSE(load(model, &text, path)) << "expected: " << message;
  EXPECT_NE(text.find(message), std::string::npos) << text;
}

/// A folder that goes away with the test.
class Folder {
public:
  Folder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "rubato-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(const std::string &name) const {
    return (path / name).string();
  }
  void write(const std::string &name, const std::string &bytes) const {
    std::ofstream(path / name, std::ios::binary) << bytes;
  }
  std::filesystem::path path;
};

} // namespace rubato::onnx::test

#endif // RUBATO_TEST_UNIT_IMPORT_TESTMODEL_H
