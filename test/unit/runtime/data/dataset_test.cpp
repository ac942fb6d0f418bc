// What a data set must satisfy before the first step, and the transforms.
#include "data/dataset.h"
#include "data/files.h"

#include <gtest/gtest.h>

using namespace rubato;
using namespace rubato::test;

namespace {

Unit makeUnit(std::vector<int64_t> inputShape, rb_dtype floatType = RB_F32) {
  Unit unit;
  unit.quantum = inputShape[0];
  unit.floatType = floatType;
  unit.inputs.push_back({"x", floatType, inputShape, 0, 0});
  unit.labels.push_back({"y", RB_I64, {unit.quantum}, 0, 10});
  return unit;
}

struct DatasetTest : testing::Test {
  Status load() { return loadDataset(unit, files, "", dataset, warnings); }
  void expectError(const std::string &part, ErrorCode code = ErrorCode::User) {
    Status status = load();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.code(), code);
    EXPECT_NE(status.message().find(part), std::string::npos)
        << status.message();
  }

  Folder folder;
  Unit unit = makeUnit({4, 6});
  DatasetFiles files;
  Dataset dataset;
  std::vector<std::string> warnings;

  void SetUp() override {
    files.inputs["x"] = folder.write(
        "x.idx", idx(8, {2, 2, 3}, "\1\2\3\4\5\6\7\10\11\12\13\14"));
    files.labels["y"] = folder.write("y.idx", idx(8, {2}, "\1\11"));
  }
};

TEST_F(DatasetTest, FlattensSamplesAndWarnsOnce) {
  Status status = load();
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(dataset.samples, 2);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("--scale x=1/255"), std::string::npos);
  float rows[2][6] = {};
  dataset.inputs[0].copySample(1, reinterpret_cast<char *>(rows), 1);
  EXPECT_EQ(rows[0][0], 0.f);
  EXPECT_EQ(rows[1][0], 7.f);
  EXPECT_EQ(rows[1][5], 12.f);
  int64_t label = 0;
  dataset.labels[0].copySample(1, reinterpret_cast<char *>(&label), 0);
  EXPECT_EQ(label, 9);
}

TEST_F(DatasetTest, ScalesInTheBuffersType) {
  Transform transform;
  transform.scale = 1.0 / 255;
  transform.mean = {0.286};
  transform.std = {0.353};
  files.transforms["x"] = transform;
  ASSERT_TRUE(load());
  EXPECT_TRUE(warnings.empty());
  float row[6];
  dataset.inputs[0].copySample(0, reinterpret_cast<char *>(row), 0);
  EXPECT_EQ(row[2], (3.f * float(1.0 / 255) - 0.286f) / 0.353f);
  unit = makeUnit({4, 6}, RB_F64);
  ASSERT_TRUE(load());
  double wide[6];
  dataset.inputs[0].copySample(0, reinterpret_cast<char *>(wide), 0);
  EXPECT_EQ(wide[2], (3. * (1.0 / 255) - 0.286) / 0.353);
}

TEST_F(DatasetTest, TransformsChannels) {
  unit = makeUnit({4, 2, 3});
  Transform transform;
  transform.mean = {1, 4};
  transform.std = {1, 2};
  files.transforms["x"] = transform;
  ASSERT_TRUE(load());
  float row[6];
  dataset.inputs[0].copySample(0, reinterpret_cast<char *>(row), 0);
  EXPECT_EQ(row[0], 0.f);
  EXPECT_EQ(row[2], 2.f);
  EXPECT_EQ(row[3], 0.f);
  EXPECT_EQ(row[5], 1.f);
}

TEST_F(DatasetTest, RefusesBadTransforms) {
  files.transforms["x"].mean = {1, 2, 3};
  expectError("each of the 6 channels", ErrorCode::Usage);
  files.transforms["x"] = {};
  files.transforms["x"].std = {0};
  expectError("above 0", ErrorCode::Usage);
  files.transforms.clear();
  files.transforms["y"].scale = 2;
  expectError("holds integers", ErrorCode::Usage);
}

TEST_F(DatasetTest, RefusesShapesThatDoNotFit) {
  unit = makeUnit({4, 784});
  expectError("2x3");
  expectError("784");
}

TEST_F(DatasetTest, RefusesLabels) {
  files.labels["y"] = folder.write("y.idx", idx(8, {2}, "\1\12"));
  expectError("y.idx: label 10 at index 1 lies outside [0, 10)");
  files.labels["y"] =
      folder.write("y.npy", npy("<i8", "(2,)", bytesOf<int64_t>({-3, 0})));
  expectError("label -3 at index 0");
  files.labels["y"] =
      folder.write("y.npy", npy("<f4", "(2,)", bytesOf<float>({1, 0})));
  expectError("must be integers");
  files.labels["y"] = folder.write("y.idx", idx(8, {3}, "\1\2\3"));
  expectError("has 3 samples");
}

TEST_F(DatasetTest, TakesFloatLabels) {
  unit.labels[0] = {"y", RB_F32, {4, 2}, 0, 0};
  files.labels["y"] = folder.write(
      "y.npy", npy("<f8", "(2, 2)", bytesOf<double>({1, 2, 3, 4})));
  ASSERT_TRUE(load());
  float row[2];
  dataset.labels[0].copySample(1, reinterpret_cast<char *>(row), 0);
  EXPECT_EQ(row[1], 4.f);
  unit.labels[0].shape = {4, 3};
  expectError("label 'y'");
}

TEST_F(DatasetTest, RefusesNames) {
  files.inputs["z"] = "f";
  expectError("no 'z'", ErrorCode::Usage);
  files.inputs.clear();
  expectError("--input x=FILE", ErrorCode::Usage);
}

TEST(Numbers, AcceptFractionsAndDecimals) {
  double value = 0;
  EXPECT_TRUE(parseNumber("1/255", value));
  EXPECT_EQ(value, 1.0 / 255);
  EXPECT_TRUE(parseNumber("-2.5e-1", value));
  EXPECT_EQ(value, -0.25);
  for (const char *bad : {"", "/", "1/", "/2", "1/0", "nan", "inf", "0x10",
                          "1 ", "1e999", "1/2/3", "abc", "1e"})
    EXPECT_FALSE(parseNumber(bad, value)) << bad;
  std::vector<double> values;
  EXPECT_TRUE(parseNumbers("1,1/2,3", values));
  EXPECT_EQ(values, (std::vector<double>{1, 0.5, 3}));
  EXPECT_FALSE(parseNumbers("1,,3", values));
  EXPECT_FALSE(parseNumbers("1,", values));
}

} // namespace
