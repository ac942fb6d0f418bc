// Values: regions whose memory comes and goes.
#include "common/fake_environment.h"
#include "common/hand_unit.h"

#include "context/context_impl.h"
#include "sim/payload.h"

#include <gtest/gtest.h>

using namespace rubato;
using namespace rubato::test;
using nlohmann::json;

namespace {

constexpr int32_t first = RB_FIRST_VALUE, second = RB_FIRST_VALUE + 1;
constexpr int64_t count = 32, bytes = count * int64_t{sizeof(float)};

/// Two values of 32 numbers each.
json withValues() {
  json manifest = delayedManifest();
  manifest["values"] = {bytes, bytes};
  manifest["regions"]["private"] = 4096;
  return manifest;
}

/// One that takes the memory of what is started and brings it back.
struct SharingEnvironment : FakeEnvironment {
  bool shares = true;
  sim::Payload held;
  std::function<void()> meanwhile; // before it takes what is started

  bool keepsBlocks() const override { return shares; }
  bool takesTurns() const override { return shares; }
  Status start(const Caller &, const CollectiveStart &call,
               FutureHandle &future) override {
    if (meanwhile)
      meanwhile();
    held = sim::Payload(call.ins);
    future = 1;
    return Status::ok();
  }
  Status await(const Caller &who, FutureHandle future, Parts outs,
               int64_t first) override {
    if (first >= 0)
      (void)FakeEnvironment::await(who, future, {}, first);
    return held.copyTo(outs);
  }
};

class Values : public testing::Test {
protected:
  Values() : code(withValues(), delayedFunctions()) {
    Status status = loadUnit(code.code, unit);
    EXPECT_TRUE(status) << status.message();
    void *regions[] = {&memory, &scratch, &numbers};
    for (rb_ctx *&each : strands)
      each = makeContext({.unit = unit,
                          .environment = environment,
                          .caller = {1, 0, 5},
                          .device = *device,
                          .regions = regions,
                          .looks = &looks});
  }
  ~Values() override {
    for (rb_ctx *each : strands)
      destroyContext(each);
  }

  float *at(int32_t value, int strand = 0) {
    return static_cast<float *>(rb_regions(strands[strand])[value]);
  }
  void fill(int32_t value, float number) {
    ASSERT_EQ(rb_renew(ctx, value, 0), RB_OK);
    std::fill_n(at(value), count, number);
  }
  void startFrom(int32_t value) {
    rb_range range{value, RB_F32, 0, count};
    int64_t future = 0;
    ASSERT_EQ(rb_all_reduce(ctx, 0, &range, 1, &future), RB_OK);
  }
  void awaitIn(int32_t value, int64_t bytes = -1) {
    rb_range range{value, RB_F32, 0, count};
    ASSERT_EQ(rb_await(ctx, 1, &range, 1, bytes), RB_OK);
  }

  HandUnit code;
  std::unique_ptr<MemberDevice> device = makeCpuDevice();
  int64_t numbers[8] = {}; // of the host
  Unit unit;
  SharingEnvironment environment;
  alignas(64) float memory[1024] = {};
  HandScratch scratch = {};
  Looks looks;
  rb_ctx *strands[2] = {};
  rb_ctx *&ctx = strands[0];
};

TEST_F(Values, AreSentAndReceivedWithoutACopy) {
  fill(first, 1);
  float *sent = at(first);
  startFrom(first);
  awaitIn(second);
  EXPECT_EQ(at(second), sent);
  // Whoever writes next gets other memory.
  fill(first, 2);
  EXPECT_NE(at(first), sent);
  EXPECT_EQ(at(second)[count - 1], 1);
}

TEST_F(Values, AreCopiedWhereTheEnvironmentSharesNone) {
  environment.shares = false;
  fill(first, 1);
  float *sent = at(first);
  startFrom(first);
  fill(first, 2);
  EXPECT_EQ(at(first), sent);
  awaitIn(second);
  EXPECT_NE(at(second), sent);
  EXPECT_EQ(at(second)[0], 1);
}

TEST_F(Values, KeepTheirContentWhereTheyMust) {
  fill(first, 3);
  startFrom(first);
  float *sent = at(first);
  ASSERT_EQ(rb_renew(ctx, first, 1), RB_OK);
  EXPECT_NE(at(first), sent);
  EXPECT_EQ(at(first)[count - 1], 3);
  // Alone with it there is nothing to do.
  float *alone = at(first);
  ASSERT_EQ(rb_renew(ctx, first, 1), RB_OK);
  EXPECT_EQ(at(first), alone);
}

TEST_F(Values, ShareACopyUntilOneIsWritten) {
  fill(first, 4);
  ASSERT_EQ(rb_copy(ctx, second, 0, first, 0, bytes), RB_OK);
  EXPECT_EQ(at(second), at(first));
  ASSERT_EQ(rb_clear(ctx, second, 0, 8), RB_OK);
  EXPECT_NE(at(second), at(first));
  EXPECT_EQ(at(second)[1], 0);
  EXPECT_EQ(at(second)[2], 4);
  EXPECT_EQ(at(first)[1], 4);
}

TEST_F(Values, ShowACellUntilItChanges) {
  std::fill_n(memory, count, 5.f);
  ASSERT_EQ(rb_look(ctx, first, RB_PRIVATE, 0, 0), RB_OK);
  EXPECT_EQ(at(first), memory);
  // A load takes the lock without changing anything.
  ASSERT_EQ(rb_lock(strands[1], 0, ""), RB_OK);
  EXPECT_EQ(at(first), memory);
  // The atomic of a sibling does.
  ASSERT_EQ(rb_lock(strands[1], 0, "w"), RB_OK);
  EXPECT_NE(at(first), memory);
  std::fill_n(memory, count, 6.f);
  EXPECT_EQ(at(first)[count - 1], 5);
  // What was dropped costs nothing any more.
  ASSERT_EQ(rb_look(ctx, first, RB_PRIVATE, 0, 0), RB_OK);
  ASSERT_EQ(rb_drop(ctx, first), RB_OK);
  int64_t before = blockBytes();
  ASSERT_EQ(rb_lock(strands[1], 0, "w"), RB_OK);
  EXPECT_EQ(at(first), nullptr);
  EXPECT_EQ(blockBytes(), before);
}

TEST_F(Values, AreSentAsTheyWereWhenOthersGoOnFirst) {
  std::fill_n(memory, count, 5.f);
  ASSERT_EQ(rb_look(ctx, first, RB_PRIVATE, 0, 0), RB_OK);
  environment.meanwhile = [&] {
    ASSERT_EQ(rb_lock(strands[1], 0, "w"), RB_OK);
    std::fill_n(memory, count, 6.f);
  };
  startFrom(first);
  awaitIn(second);
  EXPECT_EQ(at(second)[count - 1], 5);
  EXPECT_EQ(at(first)[count - 1], 5);
}

TEST_F(Values, AreCellsNoLongerWhenTheyAreWritten) {
  std::fill_n(memory, count, 5.f);
  ASSERT_EQ(rb_look(ctx, first, RB_PRIVATE, 0, 0), RB_OK);
  float number = 7;
  ASSERT_EQ(rb_write(ctx, first, 0, &number, sizeof number), RB_OK);
  EXPECT_EQ(memory[0], 5);
  EXPECT_EQ(at(first)[0], 7);
  EXPECT_EQ(at(first)[1], 5);
}

TEST_F(Values, GiveTheirMemoryBack) {
  fill(first, 1);
  float *used = at(first);
  ASSERT_EQ(rb_drop(ctx, first), RB_OK);
  fill(second, 2);
  EXPECT_EQ(at(second), used);
}

/// What an await went on without is waited for before it is used, and not again
/// once all of it is there.
TEST_F(Values, ArriveInParts) {
  fill(first, 1);
  startFrom(first);
  awaitIn(second, 8);
  auto calls = [&] { return std::exchange(environment.calls, {}); };
  using List = std::vector<std::string>;
  EXPECT_EQ(calls(), List{"0:5 await 1 first 8"});
  EXPECT_EQ(rb_arrive(ctx, RB_COMM, second, 16, 0), RB_OK);
  EXPECT_EQ(rb_arrive(ctx, RB_COMM, second, bytes, 0), RB_OK);
  EXPECT_EQ(calls(), (List{"0:5 arrive 1 16", "0:5 arrive 1 128"}));
  EXPECT_EQ(rb_arrive(ctx, RB_COMM, second, bytes, 0), RB_OK);
  EXPECT_EQ(calls(), List());
  // A whole await leaves nothing to wait for.
  startFrom(first);
  awaitIn(second);
  EXPECT_EQ(rb_arrive(ctx, RB_COMM, second, bytes, 0), RB_OK);
  EXPECT_EQ(calls(), List());
  EXPECT_EQ(rb_arrive(ctx, RB_COMM, second, bytes + 1, 0), RB_INVALID);
}

TEST_F(Values, AreRefusedWhereThereAreNone) {
  EXPECT_EQ(rb_renew(ctx, second + 1, 0), RB_INVALID);
  EXPECT_EQ(rb_drop(ctx, RB_PRIVATE), RB_INVALID);
  EXPECT_EQ(rb_look(ctx, first, RB_PRIVATE, int64_t{1} << 40, 0), RB_INVALID);
  rb_range range{second + 1, RB_F32, 0, count};
  int64_t future = 0;
  EXPECT_EQ(rb_all_reduce(ctx, 0, &range, 1, &future), RB_INVALID);
}

} // namespace
