// The manifest: a good one is read in full, every damage is named.
#include "unit/unit.h"

#include "../common/sample_unit.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace rubato;
using nlohmann::json;

static Status load(const std::string &manifest, Unit &unit) {
  static std::unique_ptr<SampleUnit> sample; // Unit points into it
  sample = std::make_unique<SampleUnit>(nullptr, manifest);
  return loadUnit(sample->code, unit);
}

TEST(Unit, ReadsTheManifest) {
  Unit unit;
  Status status = load(sampleManifest(), unit);
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(unit.producer, "rubato 0.1.0");
  EXPECT_EQ(unit.model, "sample");
  EXPECT_EQ(unit.options["loss"], "mse");
  EXPECT_EQ(unit.options["lr"], "0.05");
  EXPECT_EQ(unit.options["nesterov"], "true");
  EXPECT_EQ(unit.quantum, 2);
  EXPECT_EQ(unit.regionBytes[RB_PRIVATE], 1024);
  EXPECT_EQ(unit.regionBytes[RB_SCRATCH], 128);
  EXPECT_EQ(unit.valueBytes, (std::vector<int64_t>{24, 24}));
  EXPECT_EQ(unit.events, 3);
  ASSERT_EQ(unit.cells.size(), 5u);
  EXPECT_EQ(unit.cell("seen")->dtype, RB_I64);
  EXPECT_EQ(unit.cell("seen")->place.offset, 128);
  EXPECT_FALSE(unit.cell("budget")->hasDefault);
  EXPECT_TRUE(unit.cell("base-lr")->hasDefault);
  EXPECT_EQ(unit.cell("base-lr")->defaultValue, 0.05);
  EXPECT_EQ(unit.cell("none"), nullptr);
  EXPECT_EQ(unit.layout[1].count, 4);
  EXPECT_EQ(unit.flatCount(), 6);
  EXPECT_EQ(unit.inputs[0].shape, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(unit.labels[0].classes, 10);
  EXPECT_EQ(unit.ids.offset, 384);
  EXPECT_EQ(unit.evaluateValid.offset, 528);
  EXPECT_EQ(unit.gradient.offset, 576);
  EXPECT_EQ(unit.gradientSamples.offset, 640);
  EXPECT_EQ(unit.gradientLoss.offset, 648);
  EXPECT_EQ(unit.buckets[0].slots[1], "fc.weight");
}

TEST(Unit, BucketsMayBeAbsent) {
  json manifest = json::parse(sampleManifest());
  manifest.erase("buckets");
  Unit unit;
  EXPECT_TRUE(load(manifest.dump(), unit));
}

TEST(Unit, EveryOtherMemberIsNeeded) {
  // Without any one member, at any depth, there is an error and no crash.
  json manifest = json::parse(sampleManifest()).flatten();
  for (const auto &[path, value] : manifest.items()) {
    if (path.starts_with("/options") || path.ends_with("/default") ||
        path.ends_with("/classes") || path.find("/shape/") != path.npos ||
        path.find("/slots/") != path.npos || path.starts_with("/values/"))
      continue;
    json part = manifest;
    part.erase(path);
    Unit unit;
    EXPECT_FALSE(load(part.unflatten().dump(), unit)) << path;
  }
}

TEST(Unit, SurvivesWrongTypesEverywhere) {
  json manifest = json::parse(sampleManifest()).flatten();
  const json wrong[] = {nullptr, -1, 1e300, UINT64_MAX, "?", json::array()};
  for (const auto &[path, value] : manifest.items())
    for (const json &instead : wrong) {
      json changed = json::parse(sampleManifest());
      changed[json::json_pointer(path)] = instead;
      Unit unit;
      // Names are free text and some numbers may differ; the rest may not.
      (void)load(changed.dump(), unit).code();
    }
}

TEST(Unit, SurvivesEveryTruncation) {
  std::string text = sampleManifest();
  for (size_t size = 0; size < text.size(); ++size) {
    Unit unit;
    EXPECT_FALSE(load(text.substr(0, size), unit)) << size;
  }
}

TEST(Unit, RefusesAnotherAbi) {
  SampleUnit sample;
  sample.code.abi = 1;
  Unit unit;
  Status status = loadUnit(sample.code, unit);
  EXPECT_EQ(status.code(), ErrorCode::Internal);
  EXPECT_NE(status.message().find("ABI version 1"), std::string::npos);
}

TEST(Unit, RefusesMissingCode) {
  Unit unit;
  for (auto without : {+[](rb_unit &code) { code.evaluate = nullptr; },
                       +[](rb_unit &code) { code.gradient = nullptr; },
                       +[](rb_unit &code) { code.functions = nullptr; }}) {
    SampleUnit sample;
    without(sample.code);
    EXPECT_NE(loadUnit(sample.code, unit).message().find("lacks"),
              std::string::npos);
  }
}

/// The batch, its gradient and evaluation may lie where nothing lasts.
TEST(Unit, ResultsMayBeScratch) {
  json manifest = json::parse(sampleManifest());
  manifest["gradient"]["region"] = "scratch";
  manifest["gradient"]["offset"] = 64;
  manifest["evaluate"]["loss"] = {{"region", "scratch"}, {"offset", 0}};
  Unit unit;
  Status status = load(manifest.dump(), unit);
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(unit.gradient.region, RB_SCRATCH);
  EXPECT_EQ(unit.evaluateLoss.region, RB_SCRATCH);
}

struct BadManifest {
  const char *path;
  json value;
  const char *message;
};

class UnitBad : public testing::TestWithParam<BadManifest> {};

TEST_P(UnitBad, IsRefused) {
  json manifest = json::parse(sampleManifest());
  manifest[json::json_pointer(GetParam().path)] = GetParam().value;
  Unit unit;
  Status status = load(manifest.dump(), unit);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.code(), ErrorCode::Internal);
  EXPECT_NE(status.message().find(GetParam().message), std::string::npos)
      << status.message();
}

INSTANTIATE_TEST_SUITE_P(
    Manifests, UnitBad,
    testing::Values(
        BadManifest{"/regions/host", -1, "regions.host"},
        BadManifest{
            "/numbers", {{"offset", 1000}, {"bytes", 32}}, "numbers.bytes"},
        BadManifest{"/abi", 1, "abi: must be an integer from 3 to 3"},
        BadManifest{"/float", "f16", "float: must be f32, f64 or i64"},
        BadManifest{"/float", "i64", "float: must be f32 or f64"},
        BadManifest{"/quantum", 0, "quantum: must be"},
        BadManifest{"/events", 1 << 20, "events: must be"},
        BadManifest{"/regions/private", -8, "regions.private: must be"},
        BadManifest{"/regions/scratch", UINT64_MAX, "regions.scratch: must be"},
        BadManifest{"/values/1", 0, "values[1]: must be a number of bytes"},
        BadManifest{"/values/0", "24", "values[0]: must be a number of bytes"},
        BadManifest{"/cells/0/offset", 1024, "cells[0]: lies outside"},
        BadManifest{"/cells/0/offset", INT64_MAX - 3, "cells[0]: lies outside"},
        BadManifest{"/cells/0/offset", 2, "multiple of 4"},
        BadManifest{"/cells/0/bytes", 25, "cells[0].bytes: is not a multiple"},
        BadManifest{"/cells/0/bytes", 20, "smaller than the layout"},
        BadManifest{"/cells/0/init", "ones", "cells[0].init: must be"},
        BadManifest{"/cells/0/region", "scratch", "must be private or host"},
        BadManifest{"/cells/0/region", "shared",
                    "must be private, scratch or host"},
        BadManifest{"/cells/2/name", "w", "'w' appears twice"},
        BadManifest{"/cells/2/init", "layout", "needs f32 or f64"},
        BadManifest{"/cells/3/default", 1e19, "cells[3].default: must be"},
        BadManifest{"/cells/4/offset", 128, "overlaps"},
        BadManifest{"/layout/1/offset", 1, "slots overlap at element 1"},
        BadManifest{"/layout/1/shape/0", INT64_MAX, "layout[1].shape: is too"},
        BadManifest{"/layout/1/shape/0", 0, "layout[1].shape: must be"},
        BadManifest{"/batch/inputs/0/shape/0", 3, "begin with the quantum"},
        BadManifest{"/batch/inputs/0/offset", 1016, "lies outside"},
        BadManifest{"/batch/labels/0/offset", 192, "overlaps"},
        BadManifest{"/batch/weights/dtype", "i64", "must be f32 or f64"},
        BadManifest{"/batch/ids/dtype", "f64", "must be i64"},
        BadManifest{"/evaluate/loss/offset", 1020, "evaluate.loss: lies out"},
        BadManifest{"/gradient/offset", 1004, "gradient: lies outside"},
        BadManifest{"/gradient/samples/offset", 4, "gradient.samples: its off"},
        BadManifest{"/gradient/loss/region", "result",
                    "gradient.loss.region: must be private, scratch or host"},
        BadManifest{"/buckets/0/count", 7, "buckets[0].count: must be"},
        BadManifest{"/buckets/0/slots/0", "fc", "there is no slot 'fc'"}));
