// The inference template: sound ONNX, and holes where the weights were.
#include "TestModel.h"

#include "rubato/Import/Template.h"

using namespace rubato::onnx;
using namespace rubato::onnx::test;

static Template build(const Model &model, const RoleOptions &options = {},
                      DataType stored = DataType::Float) {
  Diagnostics diagnostics;
  auto plan = decideRoles(model, options, diagnostics);
  EXPECT_TRUE(plan);
  auto result = buildTemplate(model, *plan, stored, diagnostics);
  EXPECT_TRUE(result);
  return std::move(*result);
}

/// The finished file, each hole filled with what `dataOf` gives for it.
template <typename DataOf>
static std::string fill(const Template &inference, DataOf &&dataOf) {
  std::string file;
  size_t taken = 0;
  for (const Hole &hole : inference.holes) {
    EXPECT_GE(hole.offset, file.size());
    size_t before = hole.offset - file.size();
    file += inference.bytes.substr(taken, before);
    taken += before;
    std::string data(dataOf(hole));
    EXPECT_EQ(data.size(), hole.bytes) << hole.tensor;
    file += data;
  }
  return file + inference.bytes.substr(taken);
}

/// The finished file of an untrained model.
static std::string fillAgain(const Template &inference, const RolePlan &plan) {
  return fill(inference, [&](const Hole &hole) {
    return plan.find(hole.tensor)->tensor.data;
  });
}

static Model reload(const std::string &file) {
  Diagnostics diagnostics;
  auto model = loadModel(file, "", diagnostics);
  EXPECT_TRUE(model) << diagnostics.str();
  return std::move(*model);
}

static Model reload(const Template &inference, const Model &model) {
  Diagnostics diagnostics;
  return reload(fillAgain(inference, *decideRoles(model, {}, diagnostics)));
}

/// A tensor of a model, be it an initializer or the value of a node.
static std::string_view dataOf(const Model &model, const std::string &name) {
  if (const Tensor *tensor = model.initializer(name))
    return tensor->data;
  for (const Node &node : model.nodes)
    if (node.opType == "Constant" && node.outputs[0] == name)
      return node.attribute("value")->tensor.data;
  return {};
}

TEST(Template, HolesOfEveryCommittedModelHitTheirTensors) {
  size_t holes = 0;
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
    holes += inference.holes.size();

    // Filled with what was cut out, every tensor is as it was.
    std::string file = fillAgain(inference, *plan);
    Model again = reload(file);
    for (const StoredTensor &each : plan->stored)
      EXPECT_EQ(dataOf(again, each.name), each.tensor.data)
          << entry.path() << " " << each.name;
    for (const Tensor &tensor : again.initializers)
      if (!plan->find(tensor.name))
        EXPECT_EQ(tensor.data, original->initializer(tensor.name)->data);

    // Filled with something else, only those tensors are different.
    auto other = [&](const Hole &hole) {
      return std::string(hole.bytes,
                         static_cast<char>(&hole - &inference.holes[0] + 1));
    };
    Model changed = reload(fill(inference, other));
    for (const Hole &hole : inference.holes)
      EXPECT_EQ(dataOf(changed, hole.tensor), other(hole)) << hole.tensor;
    EXPECT_EQ(changed.nodes.size(), again.nodes.size());
  }
  EXPECT_GT(holes, 100u);
}

TEST(Template, HoldsNoByteOfAWeight) {
  std::optional<Model> model = load(smallModel());
  for (DataType stored : {DataType::Float, DataType::Double}) {
    Template inference = build(*model, {{}, {"b"}}, stored);
    for (const char *name : {"w", "b"})
      EXPECT_EQ(inference.bytes.find(model->initializer(name)->data),
                std::string::npos)
          << name;
  }
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
  Model again = reload(inference, *model);
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
  Model again = reload(inference, *model);
  ASSERT_TRUE(again.initializer("b2"));
  EXPECT_EQ(again.initializer("b2")->floatAt(1), 6.0);
  for (const Node &node : again.nodes)
    EXPECT_NE(node.opType, "Identity");
}

TEST(Template, FrozenTensorsAreCutOutToo) {
  std::optional<Model> model = load(smallModel());
  Template inference = build(*model, {{}, {"b"}});
  ASSERT_EQ(inference.holes.size(), 2u);
  EXPECT_EQ(inference.holes[0].tensor, "w");
  EXPECT_EQ(inference.holes[0].bytes, 16u);
  EXPECT_EQ(inference.holes[1].tensor, "b");
}

TEST(Template, FrozenTensorsThatTheWeightsRoundStay) {
  // 0.1 has no f32 of its value; trained, it may be rounded all the same.
  proto::Model file = smallModel();
  proto::Tensor &b = *file.mutable_graph()->mutable_initializer(1);
  ASSERT_EQ(b.name(), "b");
  double exact[] = {5, 6}, rounded[] = {5, 0.1};
  for (auto &values : {exact, rounded}) {
    b.Clear();
    b.set_name("b");
    b.set_data_type(11);
    b.add_dims(2);
    b.set_raw_data(std::string(reinterpret_cast<const char *>(values), 16));
    std::optional<Model> model = load(file);
    auto cutsB = [&](const RoleOptions &options, DataType stored) {
      return build(*model, options, stored).holes.back().tensor == "b";
    };
    EXPECT_EQ(cutsB({{}, {"b"}}, DataType::Float), values == exact);
    EXPECT_TRUE(cutsB({{}, {"b"}}, DataType::Double));
    EXPECT_TRUE(cutsB({}, DataType::Float));
  }
}

TEST(Template, AConstantNodeKeepsItsPlaceAroundAHole) {
  proto::Model file = smallModel();
  proto::Graph &graph = *file.mutable_graph();
  proto::Node &node = addNode(graph, "Constant", {}, "halves");
  proto::Attribute &value = *node.add_attribute();
  value.set_name("value");
  value.set_type(4);
  float halves[] = {0.5f, 0.25f};
  value.mutable_t()->set_data_type(1);
  value.mutable_t()->add_dims(2);
  value.mutable_t()->set_raw_data(
      std::string(reinterpret_cast<const char *>(halves), sizeof halves));
  addNode(graph, "Mul", {"x", "halves"}, "scaled");
  graph.mutable_node(0)->set_input(0, "scaled");
  graph.mutable_node()->SwapElements(0, 3);
  graph.mutable_node()->SwapElements(1, 4);
  graph.mutable_node()->SwapElements(2, 3);
  graph.mutable_node()->SwapElements(3, 4);
  std::optional<Model> model = load(file);
  ASSERT_TRUE(model);
  Template inference = build(*model);
  ASSERT_EQ(inference.holes.size(), 3u);
  EXPECT_EQ(inference.holes[0].tensor, "halves");
  EXPECT_EQ(inference.bytes.find(value.t().raw_data()), std::string::npos);
  Model again = reload(inference, *model);
  EXPECT_EQ(again.initializer("halves"), nullptr);
  EXPECT_EQ(dataOf(again, "halves"), value.t().raw_data());
  std::string other(8, '7');
  Model changed = reload(fill(inference, [&](const Hole &hole) {
    return hole.tensor == "halves" ? other : std::string(hole.bytes, '0');
  }));
  EXPECT_EQ(dataOf(changed, "halves"), other);
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
  EXPECT_EQ(reload(build(*model), *model).initializer("half"), nullptr);
  Template inference = build(*model, {{"half", "w"}, {}});
  EXPECT_EQ(reload(inference, *model).initializer("half")->floatAt(0), 0.5);
  EXPECT_EQ(inference.holes.size(), 3u); // with the frozen b
}
