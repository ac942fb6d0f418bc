// `rubato check` on every committed model, against what was written by hand.
#include "rubato/Import/Check.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>
#include <set>

using namespace llvm;
using Names = std::set<std::string>;

static std::string check(StringRef path, const rubato::ImportOptions &options,
                         bool json, int expected) {
  std::string text;
  raw_string_ostream out(text);
  EXPECT_EQ(rubato::runCheck(path, options, out, json), expected)
      << path.str() << "\n"
      << text;
  return text;
}

static Names namesOf(const json::Array *list) {
  Names names;
  if (list)
    for (const json::Value &each : *list)
      names.insert(each.getAsString()->str());
  return names;
}

static Names namesOfRole(const json::Object &report, StringRef role) {
  Names names;
  if (const json::Array *tensors = report.getArray("tensors"))
    for (const json::Value &tensor : *tensors)
      if (tensor.getAsObject()->getString("role") == role)
        names.insert(tensor.getAsObject()->getString("name")->str());
  return names;
}

/// Whether a diagnostic of `severity` has `word` in it.
static bool says(const json::Object &report, StringRef severity,
                 StringRef word) {
  for (const json::Value &value : *report.getArray("diagnostics")) {
    const json::Object &each = *value.getAsObject();
    if (each.getString("severity") == severity &&
        (each.getString("message")->contains(word) ||
         each.getString("remedy")->contains(word)))
      return true;
  }
  return false;
}

static void compare(StringRef name, const json::Object &expected,
                    const json::Object &report) {
  SCOPED_TRACE(name.str());
  int64_t code = expected.getInteger("exit").value_or(0);
  EXPECT_EQ(report.getBoolean("trainable"), code == 0);
  if (const json::Array *parameters = expected.getArray("parameters")) {
    EXPECT_EQ(namesOfRole(report, "parameter"), namesOf(parameters));
    EXPECT_EQ(namesOfRole(report, "frozen"),
              namesOf(expected.getArray("frozen")));
  }
  if (auto word = expected.getString("warning"))
    EXPECT_TRUE(says(report, "warning", *word));
  else if (!expected.getObject("dimensions"))
    EXPECT_FALSE(says(report, "warning", ""));
  if (auto word = expected.getString("error"))
    EXPECT_TRUE(says(report, "error", *word));
  std::map<std::string, Names> missing, found;
  if (const json::Object *operators = expected.getObject("missing"))
    for (const auto &[op, nodes] : *operators)
      missing[op.str()] = namesOf(nodes.getAsArray());
  if (const json::Array *operators = report.getArray("missing"))
    for (const json::Value &each : *operators)
      for (const json::Value &node : *each.getAsObject()->getArray("nodes"))
        found[each.getAsObject()->getString("op")->str()].insert(
            node.getAsObject()->getString("name")->str());
  EXPECT_EQ(found, missing);
}

TEST(Check, FindsWhatIsExpectedInEveryModel) {
  auto buffer = MemoryBuffer::getFile(RUBATO_MODELS "/expected.json");
  ASSERT_TRUE(buffer);
  Expected<json::Value> table = json::parse((*buffer)->getBuffer());
  ASSERT_TRUE(static_cast<bool>(table));
  size_t count = 0;
  for (const auto &[name, value] : *table->getAsObject()) {
    const json::Object &expected = *value.getAsObject();
    std::string path = RUBATO_MODELS "/" + name.str() + ".onnx";
    int code = static_cast<int>(expected.getInteger("exit").value_or(0));
    rubato::ImportOptions options;
    if (const json::Object *dims = expected.getObject("dimensions"))
      for (const auto &[symbol, size] : *dims)
        options.dims[symbol.str()] = *size.getAsInteger();
    // With all sizes, and with those that a first look leaves open.
    for (const auto &used : {options, rubato::ImportOptions()}) {
      Expected<json::Value> report =
          json::parse(check(path, used, /*json=*/true, code));
      ASSERT_TRUE(static_cast<bool>(report));
      compare(name.str(), expected, *report->getAsObject());
    }
    ++count;
  }
  EXPECT_GT(count, 20u);
}

TEST(Check, TextHasEveryPart) {
  std::string path = RUBATO_MODELS "/exported_new_buffer.onnx";
  EXPECT_EQ(check(path, {}, /*json=*/false, 0), "model       " + path + R"(
producer    pytorch 2.11.0+cu130, IR 10, opset 18
input       x: float32 [batch, 8]
output      out: float32 [batch, 5]

parameters  4 tensors, 229 elements
  fc1.weight               [16, 8]          the exporter calls it a parameter
  fc1.bias                 [16]             the exporter calls it a parameter
  fc2.weight               [5, 16]          the exporter calls it a parameter
  fc2.bias                 [5]              the exporter calls it a parameter
frozen      2 tensors, 16 elements
  mean                     [8]              the exporter calls it a buffer
  factor                   [8]              the exporter calls it a buffer
constants   none

operators            count  gradient
  Gemm                   2  yes
  Mul                    1  yes
  Sub                    1  yes
  Tanh                   1  yes

trainable: yes
)");
}

TEST(Check, BrokenModelsExitWithOne) {
  std::string text =
      check(RUBATO_INPUTS "/bad_shapes.onnx", {}, /*json=*/false, 1);
  EXPECT_NE(text.find("node 'g' (Gemm): error: multiplies"), std::string::npos);
  EXPECT_NE(text.find("trainable: no"), std::string::npos);
  check(RUBATO_INPUTS "/none.onnx", {}, /*json=*/true, 1);
  check(RUBATO_INPUTS "/no_parameters.onnx", {}, /*json=*/true, 1);
}

TEST(Check, OpenSizesAreAWarning) {
  std::string text = check(RUBATO_MODELS "/built_two_symbols.onnx", {},
                           /*json=*/false, 0);
  EXPECT_NE(text.find("give it with --dim features=SIZE"), std::string::npos);
  rubato::ImportOptions wrong;
  wrong.dims["features"] = 9;
  check(RUBATO_MODELS "/built_two_symbols.onnx", wrong, /*json=*/false, 1);
}
