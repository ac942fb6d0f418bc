// The trained ONNX file: a template with its holes filled, whole or not at all.
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

/// A unit with slots "p" (2 elements, behind) and "q" (1, in front), a frozen
/// tensor "f", and a template with a hole for each.
struct ExportTest : testing::Test {
  void SetUp() override {
    tensors["__onnx_template__"] = {TensorType::U8,
                                    {int64_t(text.size())},
                                    text.data(),
                                    int64_t(text.size())};
    tensors["f"] = {TensorType::F32, {1}, &frozen, 4};
    unit.code = &code;
    unit.layout.push_back({"q", "parameter", {1}, 0, 1});
    unit.layout.push_back({"p", "parameter", {2}, 1, 2});
    writeBlob();
  }

  /// Puts the tensors and the metadata where the unit has its weights.
  void writeBlob() {
    ASSERT_TRUE(writeSafetensors(folder.file("blob"), tensors, metadata));
    use(folder.read("blob"));
  }
  void use(const std::string &bytes) {
    blob.assign(bytes.begin(), bytes.end()); // of exactly this size
    code.weights = blob.data();
    code.weights_size = blob.size();
  }

  Status save(const void *flat) {
    return saveOnnx(unit, flat, folder.file("m.onnx"));
  }

  void expectDamaged(const std::string &what) {
    Status status = checkTemplate(unit);
    ASSERT_FALSE(status) << what;
    EXPECT_EQ(status.code(), ErrorCode::Internal);
    EXPECT_NE(status.message().find(what), std::string::npos)
        << status.message();
    EXPECT_NE(status.message().find("compile the model again"),
              std::string::npos);
  }

  Folder folder;
  std::string text = "AABBBCC"; // AA p BB q f B CC
  float frozen = 7;
  TensorMap tensors;
  TensorMetadata metadata = {{"format", "rubato 2"},
                             {"hole.p", "F32 2 10"},
                             {"hole.q", "F32 12 16"},
                             {"hole.f", "F32 16 20"}};
  std::vector<char> blob;
  rb_unit code = {};
  Unit unit;
};

TEST_F(ExportTest, FillsTheHolesByName) {
  float flat[3] = {1, 2, 3};
  Status status = save(flat);
  ASSERT_TRUE(status) << status.message();
  std::string expected = "AAppppppppBBqqqqffffBCC";
  std::memcpy(&expected[2], flat + 1, 8);
  std::memcpy(&expected[12], flat, 4);
  std::memcpy(&expected[16], &frozen, 4);
  EXPECT_EQ(folder.read("m.onnx"), expected);
}

TEST_F(ExportTest, HolesMayBeAtBothEndsAndEmpty) {
  text = "";
  tensors["__onnx_template__"] = {TensorType::U8, {0}, nullptr, 0};
  tensors["e"] = {TensorType::F32, {0}, nullptr, 0};
  metadata = {{"format", "rubato 2"},
              {"hole.p", "F32 0 8"},
              {"hole.q", "F32 8 12"},
              {"hole.e", "F32 8 8"}};
  writeBlob();
  float flat[3] = {1, 2, 3}, expected[3] = {2, 3, 1};
  Status status = save(flat);
  ASSERT_TRUE(status) << status.message();
  std::string written = folder.read("m.onnx");
  ASSERT_EQ(written.size(), sizeof expected);
  EXPECT_EQ(std::memcmp(written.data(), expected, sizeof expected), 0);
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
  metadata = {{"format", "rubato 2"},
              {"hole.q", "F64 2 10"},
              {"hole.p", "F32 10 18"},
              {"hole.f", "F64 18 26"}};
  writeBlob();
  double flat[3] = {0.1, 2, 3}, wide = frozen;
  ASSERT_TRUE(save(flat));
  EXPECT_EQ(std::memcmp(folder.read("m.onnx").data() + 2, flat, 8), 0);
  EXPECT_EQ(std::memcmp(folder.read("m.onnx").data() + 18, &wide, 8), 0);
}

TEST_F(ExportTest, RefusesHolesThatDoNotFit) {
  struct {
    const char *key, *place, *what;
  } bad[] = {
      {"hole.p", "F32 5 13", "'q' overlaps another tensor"},
      {"hole.p", "F32 -1 7", "no place for 'p'"},
      {"hole.p", "F32 9223372036854775807 -9", "no place for 'p'"},
      {"hole.p", "F32 9223372036854775808 5", "no place for 'p'"},
      {"hole.p", "F32 2 9", "'p' has the wrong size"},
      {"hole.p", "F64 2 10", "'p' has the wrong size"},
      {"hole.p", "I32 2 10", "no place for 'p'"},
      {"hole.p", "F32 2 10 ", "no place for 'p'"},
      {"hole.p", "F32 2", "no place for 'p'"},
      {"hole.p", "F32", "no place for 'p'"},
      {"hole.p", "", "no place for 'p'"},
      {"hole.f", "F32 30 34", "'f' lies outside"},
      {"hole.none", "F32 30 34", "no tensor 'none'"},
      {"hole.__onnx_template__", "F32 16 20", "'__onnx_template__' is U8"},
      {"format", "rubato", "its format is 'rubato'"}};
  TensorMetadata good = metadata;
  for (auto &each : bad) {
    metadata = good;
    metadata[each.key] = each.place;
    writeBlob();
    expectDamaged(each.what);
  }
  metadata = good;
  metadata.erase("hole.q"); // would keep its initial values in silence
  writeBlob();
  expectDamaged("no place for 'q'");
  tensors.erase("__onnx_template__");
  writeBlob();
  EXPECT_EQ(checkTemplate(unit).code(), ErrorCode::Unsupported);
}

TEST_F(ExportTest, RefusesEveryTruncation) {
  std::string whole(blob.begin(), blob.end());
  ASSERT_TRUE(checkTemplate(unit));
  for (size_t size = 0; size < whole.size(); ++size) {
    use(whole.substr(0, size));
    EXPECT_FALSE(checkTemplate(unit)) << size;
  }
}

TEST_F(ExportTest, SurvivesEveryBitFlip) {
  std::string whole(blob.begin(), blob.end());
  float flat[3] = {};
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    use(flipped);
    // Some flips are in names or data; what is written has a size that fits.
    if (checkTemplate(unit)) {
      ASSERT_TRUE(saveOnnx(unit, flat, "/dev/null"));
    }
  }
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
