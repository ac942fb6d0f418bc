// First values of cells: from the weights, from defaults, or zero.
#include "../common/sample_unit.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace rubato;

TEST(Cells, StartFromWeightsDefaultsAndZero) {
  SampleUnit code;
  SampleStrand strand(code);
  ASSERT_TRUE(strand.start) << strand.start.message();
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(strand.at<float>(RB_PRIVATE, 0)[i], i + 1);
    EXPECT_EQ(strand.at<double>(RB_PRIVATE, 64)[i], i + 1);
  }
  EXPECT_EQ(*strand.at<int64_t>(RB_PRIVATE, 128), 0);
  EXPECT_EQ(*strand.at<int64_t>(RB_PRIVATE, 136), 0);
  EXPECT_EQ(*strand.at<float>(RB_PRIVATE, 144), 0.05f);
}

// Offsets of frozen slots count from the start of the frozen cell.
TEST(Cells, FrozenTensorsAreAVectorOfTheirOwn) {
  auto manifest = nlohmann::json::parse(sampleManifest());
  manifest["cells"][1]["role"] = "frozen";
  manifest["layout"][0]["role"] = "frozen";
  manifest["layout"][1]["offset"] = 0;
  manifest["buckets"][0] = {
      {"offset", 0}, {"count", 4}, {"slots", {"fc.weight"}}};
  SampleUnit code(nullptr, manifest.dump());
  SampleStrand strand(code);
  ASSERT_TRUE(strand.start) << strand.start.message();
  EXPECT_EQ(strand.unit.flatCount(), 4);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(strand.at<float>(RB_PRIVATE, 0)[i], i + 3);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(strand.at<double>(RB_PRIVATE, 64)[i], i + 1);
}

static std::string startError(SampleUnit &code) {
  SampleStrand strand(code);
  EXPECT_FALSE(strand.start);
  return strand.start.message();
}

static void useWeights(SampleUnit &code, std::string weights) {
  code.weights = std::move(weights);
  code.code.weights = code.weights.data();
  code.code.weights_size = code.weights.size();
}

TEST(Cells, RefuseDamagedWeights) {
  SampleUnit code;
  useWeights(code, "garbage of no format");
  EXPECT_NE(startError(code).find("weights of the unit"), std::string::npos);
}

TEST(Cells, RefuseMissingTensor) {
  SampleUnit code;
  useWeights(code, safetensorsBlob("{}", ""));
  EXPECT_NE(startError(code).find("no tensor 'fc.bias'"), std::string::npos);
}

TEST(Cells, RefuseWrongSize) {
  SampleUnit code;
  useWeights(code, safetensorsBlob(R"({"fc.bias":{"dtype":"F32","shape":[1],)"
                                   R"("data_offsets":[0,4]}})",
                                   "1234"));
  EXPECT_NE(startError(code).find("has 1 elements, its slot has 2"),
            std::string::npos);
}

TEST(Cells, RefuseWrongType) {
  SampleUnit code;
  useWeights(code, safetensorsBlob(R"({"fc.bias":{"dtype":"U8","shape":[2],)"
                                   R"("data_offsets":[0,2]}})",
                                   "12"));
  EXPECT_NE(startError(code).find("is U8, not F32 or F64"), std::string::npos);
}
