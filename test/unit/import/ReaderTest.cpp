// What the reader makes of sound files.
#include "TestModel.h"

using namespace rubato::onnx;
using namespace rubato::onnx::test;

TEST(Reader, ReadsNamesShapesAndData) {
  std::optional<Model> model = load(smallModel());
  ASSERT_TRUE(model);
  EXPECT_EQ(model->opset, 17);
  ASSERT_EQ(model->inputs.size(), 1u);
  EXPECT_EQ(model->inputs[0].dims[0].symbol, "batch");
  EXPECT_EQ(model->inputs[0].dims[1].value, 2);
  const Tensor *w = model->initializer("w");
  ASSERT_TRUE(w);
  EXPECT_EQ(w->elements(), 4);
  EXPECT_EQ(w->floatAt(2), 3.0);
}

TEST(Reader, ReadsTypedData) {
  proto::Model file = smallModel();
  proto::Graph &graph = *file.mutable_graph();
  proto::Tensor &w = *graph.mutable_initializer(0);
  w.clear_raw_data();
  for (float value : {1.f, 2.f, 3.f, 4.f})
    w.add_float_data(value);
  proto::Tensor &flag = *graph.add_initializer();
  flag.set_name("flags");
  flag.set_data_type(static_cast<int>(DataType::Int8));
  flag.add_dims(2);
  flag.add_int32_data(-1);
  flag.add_int32_data(7);
  std::optional<Model> model = load(file);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->initializer("w")->floatAt(3), 4.0);
  EXPECT_EQ(model->initializer("flags")->intAt(0), -1);
  EXPECT_EQ(model->initializer("flags")->intAt(1), 7);
}

TEST(Reader, RefusesTypedValuesThatDoNotFit) {
  proto::Model file = smallModel();
  proto::Tensor &flag = *file.mutable_graph()->add_initializer();
  flag.set_name("flag");
  flag.set_data_type(static_cast<int>(DataType::UInt8));
  flag.add_int32_data(256);
  expectRefused(file, "initializer 'flag': error: has a value that does not "
                      "fit its type uint8");
}

TEST(Reader, SortsNodes) {
  proto::Model file = smallModel();
  file.mutable_graph()->mutable_node()->SwapElements(0, 2);
  std::string text;
  std::optional<Model> model = load(file, &text);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->nodes[0].opType, "MatMul");
  EXPECT_EQ(model->nodes[2].opType, "Relu");
  EXPECT_NE(text.find("out of order"), std::string::npos);
}

TEST(Reader, NormalizesConstants) {
  proto::Model file = smallModel();
  proto::Node &node = addNode(*file.mutable_graph(), "Constant", {}, "shape");
  proto::Attribute &attribute = *node.add_attribute();
  attribute.set_name("value_ints");
  attribute.set_type(7);
  attribute.add_ints(-1);
  attribute.add_ints(8);
  std::optional<Model> model = load(file);
  ASSERT_TRUE(model);
  const Attribute *value = model->nodes.back().attribute("value");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->tensor.dims, std::vector<int64_t>{2});
  EXPECT_EQ(value->tensor.intAt(1), 8);
}

TEST(Reader, NewerOpsetIsAWarning) {
  proto::Model file = smallModel();
  file.mutable_opset_import(0)->set_version(24);
  std::string text;
  EXPECT_TRUE(load(file, &text));
  EXPECT_NE(text.find("warning: uses opset 24"), std::string::npos);
}

TEST(Reader, TakesModulePathsFromMetadata) {
  proto::Model file = smallModel();
  proto::Entry &entry =
      *file.mutable_graph()->mutable_node(0)->add_metadata_props();
  entry.set_key("namespace");
  entry.set_value(": pkg.Net/block.0.fc1: torch.nn.Linear/linear: aten.linear");
  std::optional<Model> model = load(file);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->nodes[0].label(), "block.0.fc1/h_node (MatMul)");
  EXPECT_EQ(model->nodes[1].label(), "s_node (Add)");
}

TEST(Reader, ReadsUnalignedExternalData) {
  Folder folder;
  float values[] = {1, 2, 3, 4};
  std::string bytes = "abc";
  bytes.append(reinterpret_cast<const char *>(values), sizeof(values));
  folder.write("m.data", bytes);
  proto::Model file = smallModel();
  proto::Tensor &w = *file.mutable_graph()->mutable_initializer(0);
  w.clear_raw_data();
  w.set_data_location(1);
  for (auto [key, value] :
       std::initializer_list<std::pair<const char *, const char *>>{
           {"location", "m.data"}, {"offset", "3"}, {"length", "16"}}) {
    proto::Entry &entry = *w.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
  std::optional<Model> model = load(file, nullptr, folder.file("m.onnx"));
  ASSERT_TRUE(model);
  EXPECT_EQ(model->initializer("w")->floatAt(3), 4.0);
  Model moved = std::move(*model);
  EXPECT_EQ(moved.initializer("w")->floatAt(0), 1.0);
}

TEST(Reader, ReadsEveryCommittedModel) {
  size_t count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(RUBATO_MODELS)) {
    std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".onnx")
      continue;
    ++count;
    Diagnostics diagnostics(name);
    bool tooOld = name == "bad_ir6.onnx" || name == "bad_opset9.onnx";
    EXPECT_EQ(loadModel(entry.path().string(), diagnostics).has_value(),
              !tooOld)
        << diagnostics.str();
  }
  EXPECT_GT(count, 20u);
}

TEST(Diagnostics, NamePlaceAndRemedy) {
  Diagnostics diagnostics("m.onnx");
  diagnostics.unsupported("node 'a' (Gemm)", "is odd", "make it even");
  EXPECT_EQ(diagnostics.exitCode(), 3);
  diagnostics.error("", "is broken");
  EXPECT_EQ(diagnostics.exitCode(), 1);
  EXPECT_EQ(diagnostics.str(), "m.onnx:node 'a' (Gemm): error: is odd\n"
                               "m.onnx:node 'a' (Gemm): note: make it even\n"
                               "m.onnx: error: is broken\n");
}
