// The trained ONNX file: template plus patches, whole or not at all.
#include "state/export_onnx.h"

#include "data/files.h"
#include "state/dump.h"
#include "support/safetensors.h"

#include <csignal>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/resource.h>

using namespace rubato;
using namespace rubato::test;

namespace {

/// A unit with slots "p" (2 elements, behind) and "q" (1, in front) and a
/// template with room for both.
struct ExportTest : testing::Test {
  void SetUp() override {
    TensorMap tensors;
    TensorView view;
    view.dtype = TensorType::U8;
    view.shape = {int64_t(text.size())};
    view.data = text.data();
    view.size = int64_t(text.size());
    tensors["template"] = view;
    ASSERT_TRUE(writeSafetensors(folder.file("blob"), tensors));
    blob = folder.read("blob");
    code.weights = blob.data();
    code.weights_size = blob.size();
    unit.code = &code;
    unit.layout.push_back({"q", "parameter", {1}, 0, 1});
    unit.layout.push_back({"p", "parameter", {2}, 1, 2});
    unit.templateTensor = "template";
    unit.patches = {{"p", 2, 8}, {"q", 12, 4}};
  }

  Status save(const void *flat) {
    return saveOnnx(unit, flat, folder.file("m.onnx"));
  }

  Folder folder;
  std::string text = "AAppppppppBBqqqqCC", blob;
  rb_unit code = {};
  Unit unit;
};

TEST_F(ExportTest, PatchesSlotsByName) {
  float flat[3] = {1, 2, 3};
  Status status = save(flat);
  ASSERT_TRUE(status) << status.message();
  std::string expected = text;
  std::memcpy(&expected[2], flat + 1, 8);
  std::memcpy(&expected[12], flat, 4);
  EXPECT_EQ(folder.read("m.onnx"), expected);
}

TEST_F(ExportTest, ConvertsDoubles) {
  unit.floatType = RB_F64;
  double flat[3] = {1, 0.1, 3};
  ASSERT_TRUE(save(flat));
  float narrow = 0.1f;
  EXPECT_EQ(std::memcmp(folder.read("m.onnx").data() + 2, &narrow, 4), 0);
}

TEST_F(ExportTest, KeepsDoublesForADoubleModel) {
  unit.floatType = RB_F64;
  unit.patches = {{"q", 2, 8}};
  double flat[3] = {0.1, 2, 3};
  ASSERT_TRUE(save(flat));
  EXPECT_EQ(std::memcmp(folder.read("m.onnx").data() + 2, flat, 8), 0);
}

TEST_F(ExportTest, RefusesPatchesThatDoNotFit) {
  for (TemplatePatch bad : {TemplatePatch{"p", 11, 8},
                            {"p", -1, 8},
                            {"p", INT64_MAX, 8},
                            {"p", 0, 7},
                            {"none", 0, 8}}) {
    unit.patches = {bad};
    Status status = checkTemplate(unit);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.code(), ErrorCode::Internal);
    EXPECT_NE(status.message().find("compile the model again"),
              std::string::npos);
  }
  unit.templateTensor = "";
  EXPECT_EQ(checkTemplate(unit).code(), ErrorCode::Unsupported);
  unit.templateTensor = "missing";
  EXPECT_FALSE(checkTemplate(unit));
}

TEST_F(ExportTest, FullDiskLeavesTheOldFile) {
  folder.write("m.onnx", "old");
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit tiny = before;
  tiny.rlim_cur = 5;
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &tiny);
  float flat[3] = {};
  Status status = save(flat);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(status);
  EXPECT_NE(status.message().find("m.onnx"), std::string::npos);
  EXPECT_EQ(folder.read("m.onnx"), "old");
  size_t files = 0;
  for (auto &entry : std::filesystem::directory_iterator(folder.path))
    files += entry.is_regular_file();
  EXPECT_EQ(files, 2u); // the blob and the old file
}

TEST_F(ExportTest, DumpsOneTensorPerSlot) {
  float flat[3] = {1, 2, 3};
  ASSERT_TRUE(dumpSlots(unit, flat, folder.file("d"), {{"samples", "5"}}));
  std::string dumped = folder.read("d");
  TensorView view;
  ASSERT_TRUE(findTensor(dumped.data(), dumped.size(), "p", view));
  EXPECT_EQ(view.shape, (std::vector<int64_t>{2}));
  EXPECT_EQ(std::memcmp(view.data, flat + 1, 8), 0);
}

} // namespace
