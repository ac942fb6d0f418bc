// Safetensors: what is written is read back, what is damaged is refused.
#include "support/safetensors.h"

#include "../common/sample_unit.h"
#include "../common/scratch_dir.h"

#include <gtest/gtest.h>

using namespace rubato;

static Status parse(const std::string &blob) {
  TensorMap tensors;
  TensorMetadata metadata;
  return readSafetensors(blob.data(), blob.size(), tensors, &metadata);
}

TEST(Safetensors, FindsTensors) {
  std::string blob = sampleWeights();
  TensorView tensor;
  ASSERT_TRUE(findTensor(blob.data(), blob.size(), "fc.weight", tensor));
  EXPECT_EQ(tensor.dtype, TensorType::F64);
  EXPECT_EQ(tensor.shape, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(tensor.size, 32);
  EXPECT_EQ(tensor.count(), 4);
  double last = 0;
  std::memcpy(&last, static_cast<const char *>(tensor.data) + 24, 8);
  EXPECT_EQ(last, 6);
  Status missing = findTensor(blob.data(), blob.size(), "fc", tensor);
  EXPECT_NE(missing.message().find("no tensor 'fc'"), std::string::npos);
}

TEST(Safetensors, RoundTrip) {
  ScratchDir dir;
  std::vector<float> values = {1, 2, 3, 4, 5, 6};
  std::vector<int64_t> ids = {-1, 7};
  unsigned char byte = 9;
  TensorMap out;
  out["g"] = {TensorType::F32, {2, 3}, values.data(), 24};
  out["ids"] = {TensorType::I64, {2}, ids.data(), 16};
  out["byte"] = {TensorType::U8, {}, &byte, 1};
  out["empty"] = {TensorType::F64, {0, 4}, nullptr, 0};
  ASSERT_TRUE(writeSafetensors(dir.file("g"), out, {{"step", "3"}}));
  EXPECT_EQ(dir.entries(), 1u);

  std::string blob = readFile(dir.file("g"));
  TensorMap in;
  TensorMetadata metadata;
  ASSERT_TRUE(readSafetensors(blob.data(), blob.size(), in, &metadata));
  EXPECT_EQ(metadata, (TensorMetadata{{"step", "3"}}));
  ASSERT_EQ(in.size(), 4u);
  EXPECT_EQ(in["g"].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(std::memcmp(in["g"].data, values.data(), 24), 0);
  EXPECT_EQ(std::memcmp(in["ids"].data, ids.data(), 16), 0);
  EXPECT_EQ(*static_cast<const unsigned char *>(in["byte"].data), 9);
  EXPECT_EQ(in["empty"].size, 0);
}

TEST(Safetensors, WriterChecksSizes) {
  ScratchDir dir;
  float value = 1;
  Status status = writeSafetensors(dir.file("g"),
                                   {{"g", {TensorType::F32, {2}, &value, 4}}});
  EXPECT_EQ(status.code(), ErrorCode::Internal);
  EXPECT_EQ(dir.entries(), 0u);
}

TEST(Safetensors, RefusesEveryTruncation) {
  std::string blob = sampleWeights();
  ASSERT_TRUE(parse(blob));
  for (size_t size = 0; size < blob.size(); ++size) {
    // A copy of exactly this size, so that a sanitizer sees a read past it.
    std::vector<char> cut(blob.begin(), blob.begin() + ptrdiff_t(size));
    TensorMap tensors;
    EXPECT_FALSE(readSafetensors(cut.data(), cut.size(), tensors)) << size;
  }
}

TEST(Safetensors, SurvivesEveryBitFlip) {
  std::string blob = sampleWeights();
  for (size_t bit = 0; bit < blob.size() * 8; ++bit) {
    std::vector<char> flipped(blob.begin(), blob.end());
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    TensorMap tensors;
    if (!readSafetensors(flipped.data(), flipped.size(), tensors))
      continue;
    for (const auto &[name, tensor] : tensors) {
      const char *begin = static_cast<const char *>(tensor.data);
      EXPECT_GE(begin, flipped.data());
      EXPECT_LE(begin + tensor.size, flipped.data() + flipped.size());
    }
  }
}

struct BadHeader {
  const char *header, *message;
};

class SafetensorsBad : public testing::TestWithParam<BadHeader> {};

TEST_P(SafetensorsBad, IsRefused) {
  Status status =
      parse(safetensorsBlob(GetParam().header, std::string(16, '\0')));
  ASSERT_FALSE(status);
  EXPECT_NE(status.message().find(GetParam().message), std::string::npos)
      << status.message();
}

INSTANTIATE_TEST_SUITE_P(
    Headers, SafetensorsBad,
    testing::Values(
        BadHeader{"[]", "not a JSON object"}, BadHeader{"{", "not a JSON"},
        BadHeader{R"({"__metadata__":[]})", "__metadata__ is not an object"},
        BadHeader{R"({"__metadata__":{"a":1}})", "'a' in __metadata__ is not"},
        BadHeader{R"({"a":1})", "not described by an object"},
        BadHeader{R"({"a":{"dtype":"F32"}})", "lacks dtype, shape"},
        BadHeader{R"({"a":{"dtype":"F4","shape":[],"data_offsets":[0,4]}})",
                  "unknown dtype 'F4'"},
        BadHeader{R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})",
                  "impossible shape"},
        BadHeader{R"({"a":{"dtype":"F32","shape":[9223372036854775807],)"
                  R"("data_offsets":[0,4]}})",
                  "impossible shape"},
        BadHeader{R"({"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}})",
                  "impossible shape"},
        BadHeader{R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[16,20]}})",
                  "outside the data"},
        BadHeader{R"({"a":{"dtype":"F32","shape":[1],)"
                  R"("data_offsets":[0,18446744073709551615]}})",
                  "outside the data"},
        BadHeader{R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})",
                  "outside the data"},
        BadHeader{R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})",
                  "has 4 bytes, its shape needs 8"},
        BadHeader{R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                  R"("b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})",
                  "'a' and 'b' overlap"}));

TEST(Safetensors, RefusesLongHeader) {
  std::string blob(16, '\xff'); // a header of 2^64 - 1 bytes
  EXPECT_NE(parse(blob).message().find("does not fit"), std::string::npos);
}
