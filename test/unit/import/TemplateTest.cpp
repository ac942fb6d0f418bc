// The inference template: sound ONNX, and patches that hit the right bytes.
#include "TestModel.h"

#include "rubato/Import/Template.h"

using namespace rubato::onnx;
using namespace rubato::onnx::test;

static Template build(const Model &model, const RoleOptions &options = {}) {
  Diagnostics diagnostics;
  auto plan = decideRoles(model, options, diagnostics);
  EXPECT_TRUE(plan);
  auto result = buildTemplate(model, *plan, diagnostics);
  EXPECT_TRUE(result);
  return std::move(*result);
}

static Model reload(const Template &inference) {
  Diagnostics diagnostics;
  auto model = loadModel(inference.bytes, "", diagnostics);
  EXPECT_TRUE(model) << diagnostics.str();
  return std::move(*model);
}

TEST(Template, PatchesOfEveryCommittedModelHitTheirTensors) {
  size_t patches = 0;
  for (const auto &entry : std::filesystem::directory_iterator(RUBATO_MODELS)) {
    if (entry.path().extension() != ".onnx")
      continue;
    Diagnostics diagnostics;
    auto original = loadModel(entry.path().string(), diagnostics);
    if (!original)
      continue;
    auto plan = decideRoles(*original, {}, diagnostics);
    ASSERT_TRUE(plan);
    Template inference = build(*original);
    // Write something else through each patch; only that tensor may change.
    std::string before = inference.bytes;
    for (size_t i = 0; i < inference.patches.size(); ++i) {
      const Patch &patch = inference.patches[i];
      ASSERT_LE(patch.offset + patch.bytes, before.size());
      EXPECT_EQ(before.substr(patch.offset, patch.bytes),
                plan->find(patch.slot)->tensor.data)
          << entry.path() << " " << patch.slot;
      std::fill_n(inference.bytes.begin() +
                      static_cast<std::ptrdiff_t>(patch.offset),
                  patch.bytes, static_cast<char>(i + 1));
      ++patches;
    }
    Model again = reload(inference);
    for (size_t i = 0; i < inference.patches.size(); ++i) {
      const Patch &patch = inference.patches[i];
      const Tensor *tensor = again.initializer(patch.slot);
      ASSERT_TRUE(tensor) << patch.slot;
      EXPECT_EQ(tensor->data,
                std::string(patch.bytes, static_cast<char>(i + 1)));
    }
    for (const Tensor &tensor : again.initializers)
      if (const StoredTensor *stored = plan->find(tensor.name);
          !stored || stored->role != Role::Parameter)
        EXPECT_EQ(tensor.data, original->initializer(tensor.name)->data);
  }
  EXPECT_GT(patches, 100u);
}

TEST(Template, KeepsTheGraphAndDropsMetadata) {
  proto::Model file = smallModel();
  proto::Entry &entry =
      *file.mutable_graph()->mutable_node(0)->add_metadata_props();
  entry.set_key("pkg.torch.onnx.stack_trace");
  entry.set_value("File /home/someone/secret.py");
  std::optional<Model> model = load(file);
  Template inference = build(*model);
  EXPECT_EQ(inference.bytes.find("secret"), std::string::npos);
  Model again = reload(inference);
  EXPECT_EQ(again.opset, 17);
  EXPECT_EQ(again.inputs[0].dims[0].symbol, "batch");
  EXPECT_EQ(again.outputs[0].name, "out");
  ASSERT_EQ(again.nodes.size(), 3u);
  EXPECT_EQ(again.nodes[0].inputs, (std::vector<std::string>{"x", "w"}));
}

TEST(Template, MergedTensorsBecomeInitializers) {
  proto::Model file = smallModel();
  proto::Graph &graph = *file.mutable_graph();
  addNode(graph, "Identity", {"b"}, "b2");
  graph.mutable_node(1)->set_input(1, "b2");
  std::optional<Model> model = load(file);
  Template inference = build(*model);
  Model again = reload(inference);
  ASSERT_TRUE(again.initializer("b2"));
  EXPECT_EQ(again.initializer("b2")->floatAt(1), 6.0);
  for (const Node &node : again.nodes)
    EXPECT_NE(node.opType, "Identity");
}

TEST(Template, FrozenTensorsHaveNoPatch) {
  std::optional<Model> model = load(smallModel());
  Template inference = build(*model, {{}, {"b"}});
  ASSERT_EQ(inference.patches.size(), 1u);
  EXPECT_EQ(inference.patches[0].slot, "w");
  EXPECT_EQ(inference.patches[0].bytes, 16u);
}

TEST(Template, ATrainedConstantBecomesAnInitializer) {
  proto::Model file = smallModel();
  proto::Graph &graph = *file.mutable_graph();
  proto::Attribute &value =
      *addNode(graph, "Constant", {}, "half").add_attribute();
  value.set_name("value_float");
  value.set_type(1);
  value.set_f(0.5f);
  addNode(graph, "Mul", {"x", "half"}, "scaled");
  graph.mutable_node(0)->set_input(0, "scaled");
  std::optional<Model> model = load(file);
  EXPECT_EQ(reload(build(*model)).initializer("half"), nullptr);
  Template inference = build(*model, {{"half", "w"}, {}});
  EXPECT_EQ(reload(inference).initializer("half")->floatAt(0), 0.5);
  EXPECT_EQ(inference.patches.size(), 2u);
}
