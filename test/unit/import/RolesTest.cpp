// Parameters, frozen tensors and constants.
#include "TestModel.h"

#include "rubato/Import/Roles.h"

using namespace rubato::onnx;
using namespace rubato::onnx::test;

static void sign(proto::Model &file, const std::string &text) {
  proto::Entry &entry = *file.mutable_graph()->add_metadata_props();
  entry.set_key("pkg.torch.export.ExportedProgram.graph_signature");
  entry.set_value(text);
}

static Role roleOf(const RolePlan &plan, const std::string &name) {
  const StoredTensor *stored = plan.find(name);
  EXPECT_TRUE(stored) << name;
  return stored ? stored->role : Role::Constant;
}

TEST(Roles, InitializersAreParametersWithoutASignature) {
  Diagnostics diagnostics;
  std::optional<Model> model = load(smallModel());
  auto plan = decideRoles(*model, {}, diagnostics);
  ASSERT_TRUE(plan);
  EXPECT_EQ(roleOf(*plan, "w"), Role::Parameter);
  EXPECT_EQ(roleOf(*plan, "b"), Role::Parameter);
}

TEST(Roles, TheSignatureDecides) {
  proto::Model file = smallModel();
  sign(file, "# inputs\np_w: PARAMETER target='w'\n"
             "b_b: BUFFER target='b' persistent=True\nx: USER_INPUT\n"
             "p_gone: PARAMETER target='gone'\n");
  addTensor(*file.mutable_graph(), "val_3", {}, {0.5});
  addNode(*file.mutable_graph(), "Mul", {"h", "val_3"}, "unused");
  std::optional<Model> model = load(file);
  Diagnostics diagnostics("m.onnx");
  auto plan = decideRoles(*model, {}, diagnostics);
  ASSERT_TRUE(plan);
  EXPECT_EQ(roleOf(*plan, "w"), Role::Parameter);
  EXPECT_EQ(roleOf(*plan, "b"), Role::Frozen);
  EXPECT_EQ(roleOf(*plan, "val_3"), Role::Constant);
  EXPECT_EQ(plan->missingTargets, std::vector<std::string>{"gone"});
  EXPECT_NE(diagnostics.str().find("1 of 2 parameters of the module are not "
                                   "in the file ('gone')"),
            std::string::npos)
      << diagnostics.str();
}

TEST(Roles, IdentityOfAnInitializerHasItsOwnStorage) {
  proto::Model file = smallModel();
  proto::Graph &graph = *file.mutable_graph();
  addNode(graph, "Identity", {"b"}, "b2");
  addNode(graph, "Identity", {"b2"}, "b3");
  addNode(graph, "Add", {"b2", "b3"}, "unused");
  std::optional<Model> model = load(file);
  Diagnostics diagnostics;
  auto plan = decideRoles(*model, {}, diagnostics);
  ASSERT_TRUE(plan);
  for (const char *name : {"b", "b2", "b3"})
    EXPECT_EQ(roleOf(*plan, name), Role::Parameter) << name;
  EXPECT_TRUE(plan->find("b3")->isCopy);
  EXPECT_EQ(plan->find("b3")->tensor.floatAt(1), 6.0);
}

TEST(Roles, StatisticsOfBatchNormalisationAreFrozen) {
  proto::Model file = smallModel();
  proto::Graph &graph = *file.mutable_graph();
  for (const char *name : {"scale", "bias", "mean", "var"})
    addTensor(graph, name, {2}, {1, 1});
  addNode(graph, "BatchNormalization", {"h", "scale", "bias", "mean", "var"},
          "n");
  std::optional<Model> model = load(file);
  Diagnostics diagnostics;
  auto plan = decideRoles(*model, {}, diagnostics);
  EXPECT_EQ(roleOf(*plan, "scale"), Role::Parameter);
  EXPECT_EQ(roleOf(*plan, "mean"), Role::Frozen);
  EXPECT_EQ(roleOf(*plan, "var"), Role::Frozen);
}

TEST(Roles, OptionsOverride) {
  std::optional<Model> model = load(smallModel());
  Diagnostics diagnostics;
  auto plan = decideRoles(*model, {{"b*"}, {}}, diagnostics);
  EXPECT_EQ(roleOf(*plan, "w"), Role::Frozen);
  EXPECT_EQ(roleOf(*plan, "b"), Role::Parameter);
  plan = decideRoles(*model, {{}, {"?"}}, diagnostics);
  EXPECT_EQ(roleOf(*plan, "w"), Role::Frozen);
  EXPECT_EQ(roleOf(*plan, "b"), Role::Frozen);
}

TEST(Roles, UnknownNamesAreErrors) {
  proto::Model file = smallModel();
  addTensor(*file.mutable_graph(), "fc1.weight", {2}, {1, 1});
  addNode(*file.mutable_graph(), "Add", {"h", "fc1.weight"}, "u");
  std::optional<Model> model = load(file);
  Diagnostics diagnostics("m.onnx");
  EXPECT_FALSE(decideRoles(*model, {{}, {"fc1.wieght"}}, diagnostics));
  EXPECT_EQ(diagnostics.str(),
            "m.onnx: error: --freeze 'fc1.wieght' names no tensor\n"
            "m.onnx: note: did you mean 'fc1.weight'?\n");
}

TEST(Roles, FoldedBatchNormalisationIsAWarning) {
  proto::Model file = smallModel();
  proto::Entry &entry =
      *file.mutable_graph()->mutable_node(0)->add_metadata_props();
  entry.set_key("pkg.onnxscript.rewriter.rule_name");
  entry.set_value("FuseBatchNormIntoConv, RemoveOptionalBiasFromConv");
  std::optional<Model> model = load(file);
  Diagnostics diagnostics("m.onnx");
  EXPECT_TRUE(decideRoles(*model, {}, diagnostics));
  EXPECT_NE(diagnostics.str().find("batch normalisation folded"),
            std::string::npos);
}
