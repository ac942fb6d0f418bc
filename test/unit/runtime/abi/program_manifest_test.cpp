// The program of a manifest: what is read, and what is refused.
#include "common/hand_unit.h"

#include "unit/unit.h"

#include <gtest/gtest.h>

using namespace rubato;
using namespace rubato::test;
using nlohmann::json;

namespace {

Status loadCode(const rb_unit &code, Unit &unit) {
  return loadUnit(code, unit);
}

TEST(ProgramManifest, IsRead) {
  Unit unit;
  Status status = loadCode(gossipUnit(100), unit);
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(unit.regionBytes[RB_SCRATCH], int64_t(sizeof(HandScratch)));
  EXPECT_EQ(unit.events, 0);
  EXPECT_EQ(unit.inputs[0].region, RB_SCRATCH);
  EXPECT_EQ(unit.ids.offset, int64_t(offsetof(HandScratch, ids)));
  EXPECT_EQ(unit.parameters.offset, int64_t(offsetof(HandPrivate, model)));
  const ProgramSpec &program = unit.program;
  ASSERT_EQ(program.roles.size(), 1u);
  EXPECT_EQ(program.roles[0].name, "worker");
  EXPECT_EQ(program.roles[0].count, -1);
  EXPECT_EQ(program.roles[0].init, -1);
  EXPECT_EQ(program.roles[0].model, 2);
  ASSERT_EQ(program.roles[0].strands.size(), 2u);
  EXPECT_EQ(program.roles[0].strands[1].name, "gossip");
  EXPECT_EQ(program.roles[0].strands[1].function, 1);
  EXPECT_FALSE(program.roles[0].strands[1].cursor);
  ASSERT_EQ(program.channels.size(), 2u);
  EXPECT_EQ(program.channels[0].kind, "pair");
  EXPECT_EQ(program.channels[0].bytes, 256);
  ASSERT_EQ(program.policies.size(), 1u);
  const PolicySpec &policy = program.policies[0];
  EXPECT_EQ(policy.kind, "gossip.matcher");
  EXPECT_EQ(policy.placement, policy::Placement::Central);
  EXPECT_EQ(policy.askers, std::vector<std::string>{"worker"});
  ASSERT_EQ(policy.settings.size(), 3u);
  EXPECT_EQ(policy.settings[0].name, "goal");
  EXPECT_EQ(std::get<int64_t>(policy.settings[0].value), 100);
  EXPECT_EQ(std::get<double>(policy.settings[1].value), 1.0);
  EXPECT_EQ(std::get<std::string>(policy.settings[2].value), "complete");
  ASSERT_EQ(policy.entries.size(), 3u);
  EXPECT_EQ(policy.entries[2].outputs,
            (std::vector<policy::ValueType>{policy::ValueType::I64,
                                            policy::ValueType::I64,
                                            policy::ValueType::I1}));
  EXPECT_EQ(program.rendezvous[0].strands[0], "worker.compute");
  EXPECT_EQ(program.locks, 1);
}

TEST(ProgramManifest, FramesAreRead) {
  HandUnit code(delayedManifest(), delayedFunctions());
  Unit unit;
  Status status = loadUnit(code.code, unit);
  ASSERT_TRUE(status) << status.message();
  const std::vector<FrameSpec> &frame = unit.program.roles[0].strands[0].frame;
  ASSERT_EQ(frame.size(), 1u);
  EXPECT_EQ(frame[0].name, "carried0");
  EXPECT_EQ(frame[0].kind, FrameSpec::Kind::Future);
  EXPECT_EQ(frame[0].offset, int64_t(offsetof(HandPrivate, carried)));
  EXPECT_EQ(frame[0].bytes(), 8);
  ASSERT_EQ(frame[0].values.size(), 4u);
  EXPECT_EQ(frame[0].values[0].dtype, RB_F32);
  EXPECT_EQ(frame[0].values[0].count, 3);

  json tensor = delayedManifest();
  json &entry = tensor["program"]["roles"][0]["strands"][0]["frame"][0];
  entry["kind"] = "tensor";
  entry["offset"] = offsetof(HandPrivate, snapshot);
  entry["values"] = json::array({{{"dtype", "f32"}, {"count", 3}}});
  HandUnit other(tensor, delayedFunctions());
  status = loadUnit(other.code, unit);
  ASSERT_TRUE(status) << status.message();
}

TEST(ProgramManifest, FramesAreChecked) {
  auto refuses = [](const char *key, json value, const char *message) {
    json manifest = delayedManifest();
    manifest["program"]["roles"][0]["strands"][0]["frame"][0][key] = value;
    HandUnit code(manifest, delayedFunctions());
    Unit unit;
    Status status = loadUnit(code.code, unit);
    EXPECT_NE(status.message().find(message), std::string::npos)
        << key << ": " << status.message();
  };
  refuses("kind", "thing", "frame[0].kind: must be tensor, number or future");
  refuses("kind", "tensor", "frame[0].values: must be one");
  refuses("kind", "number", "frame[0].values: must be one");
  refuses("region", "scratch", "frame[0].region: must be private or host");
  refuses("offset", 1 << 30, "frame[0]: lies outside");
  refuses("offset", offsetof(HandPrivate, carried) + 4, "not a multiple of 8");
  refuses("offset", offsetof(HandPrivate, seen), "overlaps");
  refuses("values", json::array({{{"dtype", "i1"}, {"count", 1}}}),
          "values[0].dtype");
  refuses("values", json::array({{{"dtype", "f32"}, {"count", 0}}}),
          "values[0].count");

  json manifest = delayedManifest();
  json &strand = manifest["program"]["roles"][0]["strands"][0];
  json second = strand["frame"][0];
  strand["frame"].push_back(second);
  HandUnit twice(manifest, delayedFunctions());
  Unit unit;
  EXPECT_NE(loadUnit(twice.code, unit).message().find("appears twice"),
            std::string::npos);
  strand.erase("frame");
  HandUnit none(manifest, delayedFunctions());
  EXPECT_NE(loadUnit(none.code, unit).message().find("strands[0].frame"),
            std::string::npos);
}

TEST(ProgramManifest, FunctionsBelongToTheCode) {
  Unit unit;
  auto refuses = [&](std::vector<rb_function> functions, const char *message) {
    HandUnit code(delayedManifest(), functions);
    Status status = loadUnit(code.code, unit);
    EXPECT_NE(status.message().find(message), std::string::npos)
        << status.message();
  };
  std::vector<rb_function> functions = delayedFunctions();
  functions.pop_back();
  refuses(functions, "names 4 functions, but the unit has 3");
  functions = delayedFunctions();
  std::swap(functions[1], functions[2]);
  refuses(functions, "the unit has no function 'worker.round' there");
  functions = delayedFunctions();
  functions[3].fn = nullptr;
  refuses(functions, "the unit has no function 'worker.model' there");
}

TEST(ProgramManifest, NeedsEveryPart) {
  for (const char *part : {"functions", "roles", "channels", "policies",
                           "rendezvous", "locks", "commits"}) {
    json manifest = delayedManifest();
    manifest["program"].erase(part);
    HandUnit code(manifest, delayedFunctions());
    Unit unit;
    Status status = loadUnit(code.code, unit);
    EXPECT_NE(status.message().find(std::string("program.") + part),
              std::string::npos)
        << part << ": " << status.message();
  }
  for (const char *part : {"program", "parameters", "gradient", "values"}) {
    json manifest = delayedManifest();
    manifest.erase(part);
    HandUnit code(manifest, delayedFunctions());
    Unit unit;
    EXPECT_NE(loadUnit(code.code, unit).message().find(part),
              std::string::npos);
  }
}

TEST(ProgramManifest, SurvivesWrongTypesEverywhere) {
  json whole = delayedManifest();
  const json wrong[] = {nullptr, -7, 1e300, UINT64_MAX, "?", json::array()};
  const json flat = whole["program"].flatten();
  for (const auto &[path, value] : flat.items())
    for (const json &instead : wrong) {
      json changed = whole;
      changed["program"][json::json_pointer(path)] = instead;
      HandUnit code(changed, delayedFunctions());
      Unit unit;
      (void)loadUnit(code.code, unit).code();
    }
}

struct BadProgram {
  const char *path;
  json value;
  const char *message;
};

class ProgramBad : public testing::TestWithParam<BadProgram> {};

TEST_P(ProgramBad, IsRefused) {
  Unit good;
  ASSERT_TRUE(loadUnit(gossipUnit(7), good));
  json manifest = json::parse(good.code->manifest,
                              good.code->manifest + good.code->manifest_size);
  manifest[json::json_pointer(GetParam().path)] = GetParam().value;
  HandUnit code(manifest, {good.code->functions,
                           good.code->functions + good.code->function_count});
  Unit unit;
  Status status = loadUnit(code.code, unit);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.code(), ErrorCode::Internal);
  EXPECT_NE(status.message().find(GetParam().message), std::string::npos)
      << status.message();
}

INSTANTIATE_TEST_SUITE_P(
    Programs, ProgramBad,
    testing::Values(
        BadProgram{"/program", 1, "program: must be an object"},
        BadProgram{"/parameters",
                   {{"region", "scratch"}, {"offset", 0}},
                   "parameters.region"},
        BadProgram{"/parameters/offset", 1 << 30, "parameters: lies outside"},
        BadProgram{"/cells/0/region", "scratch", "must be private or host"},
        BadProgram{"/batch/ids/region", "result",
                   "must be private, scratch or host"},
        BadProgram{"/batch/ids/offset", 1 << 20, "batch.ids: lies outside"},
        BadProgram{"/program/roles", json::array(), "there must be one"},
        BadProgram{"/program/roles/0/count", 0, "-1 or at least 1"},
        BadProgram{"/program/roles/0/count", -2, "count: must be an integer"},
        BadProgram{"/program/roles/0/init", 3, "roles[0].init: must be"},
        BadProgram{"/program/roles/0/model", -2, "roles[0].model: must be"},
        BadProgram{"/program/roles/0/strands", json::array(), "one at least"},
        BadProgram{"/program/roles/0/strands/0/function", 3,
                   "strands[0].function: must be"},
        BadProgram{"/program/roles/0/strands/0/function", -1,
                   "strands[0].function: must be"},
        BadProgram{"/program/roles/0/strands/0/cursor", 1, "true or false"},
        BadProgram{"/program/roles/0/strands/1/name", "compute",
                   "appears twice"},
        BadProgram{"/program/channels/0/kind", "tube", "collective, pair or"},
        BadProgram{"/program/channels/0/kind", "mailbox", "role of one member"},
        BadProgram{"/program/channels/0/server", "worker", "only a mailbox"},
        BadProgram{"/program/channels/0/bytes", -1, "bytes: must be"},
        BadProgram{"/program/policies/0/kind", "gossip.oracle",
                   "there is no policy 'gossip.oracle'"},
        BadProgram{"/program/policies/0/placement", "here", "placement: must"},
        BadProgram{"/program/policies/0/askers/0", "boss", "no role 'boss'"},
        BadProgram{"/program/policies/0/settings/rate", json::array(),
                   "settings.rate: must be"},
        BadProgram{
            "/program/policies/0/entries/0/inputs", {"f32"}, "i64, f64 or i1"},
        BadProgram{"/program/policies/0/entries/0/outputs",
                   std::vector<std::string>(17, "i1"), "more than 16 values"},
        BadProgram{"/program/rendezvous/0/strands/0", "worker.rest",
                   "no strand 'worker.rest'"},
        BadProgram{"/program/locks", -1, "program.locks: must be"},
        BadProgram{"/program/commits", "no", "program.commits: must be"}));

TEST(ProgramManifest, OneRoleTakesTheRest) {
  json manifest = delayedManifest();
  json again = manifest["program"]["roles"][0];
  again["name"] = "other";
  manifest["program"]["roles"].push_back(again);
  HandUnit code(manifest, delayedFunctions());
  Unit unit;
  Status status = loadUnit(code.code, unit);
  EXPECT_NE(status.message().find("another role takes all"), std::string::npos)
      << status.message();
}

} // namespace
