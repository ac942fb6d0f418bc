// The timeline: spans of lanes, as a Chrome trace.
#include "telemetry/timeline.h"

#include "../common/hand_kernel.h"
#include "../common/sample_unit.h"
#include "../common/scratch_dir.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace rubato;
using nlohmann::json;

static std::vector<json> spansOf(const Timeline &timeline, int rank) {
  ScratchDir dir;
  EXPECT_TRUE(timeline.writeChromeTrace(dir.file("t.json"), rank));
  json trace = json::parse(readFile(dir.file("t.json")));
  std::vector<json> spans;
  for (const json &event : trace["traceEvents"])
    if (event["ph"] == "X")
      spans.push_back(event);
  return spans;
}

TEST(Timeline, KeepsTheLatestSpans) {
  Timeline timeline(3);
  for (int i = 0; i < 5; ++i)
    timeline.add(RB_COMM, "all_reduce", i, 1000 * i, 1000 * i + 1500);
  timeline.add(RB_COMPUTE, "a \"quoted\" name", -1, 10, 20);
  std::vector<json> spans = spansOf(timeline, 4);
  ASSERT_EQ(spans.size(), 4u);
  EXPECT_EQ(spans[0]["name"], "a \"quoted\" name");
  EXPECT_EQ(spans[0]["tid"], int(RB_COMPUTE));
  EXPECT_EQ(spans[1]["name"], "all_reduce 2");
  EXPECT_EQ(spans[3]["name"], "all_reduce 4");
  EXPECT_EQ(spans[3]["pid"], 4);
  EXPECT_EQ(spans[3]["tid"], int(RB_COMM));
  EXPECT_EQ(spans[3]["ts"], 4.0);
  EXPECT_EQ(spans[3]["dur"], 1.5);
}

TEST(Timeline, HoldsWhatTheDeviceDid) {
  SampleUnit code;
  Timeline timeline;
  SampleStrand strand(code, makeCpuDevice(), &timeline);
  ASSERT_TRUE(strand.start);
  rb_kernel kernel =
      handKernel("fc.forward", [](void *const *, int64_t, int64_t, void *) {});
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(rb_launch(strand.context, RB_COMPUTE, &kernel, nullptr, 0, 1,
                        nullptr, 0),
              RB_OK);
  std::vector<json> spans = spansOf(timeline, 0);
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0]["name"], "fc.forward");
  EXPECT_EQ(spans[1]["name"], "fc.forward");
  EXPECT_GE(spans[1]["ts"], spans[0]["ts"]);
}
