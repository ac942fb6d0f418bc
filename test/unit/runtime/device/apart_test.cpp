// The device that is out of the host's reach: its memory, its lanes, and what
// only events order.
#include "../common/hand_kernel.h"
#include "../common/sample_unit.h"
#include "device/apart/lanes.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>

using namespace rubato;
using apart::Lanes;

namespace {

/// In which order two lanes did what they were given, by seed.
std::string orderOf(uint64_t seed, bool event) {
  Lanes lanes(seed);
  int first = lanes.add(), second = lanes.add();
  std::string order;
  for (int i = 0; i < 4; ++i)
    lanes.give(first, [&] { order += 'a'; });
  if (event)
    lanes.hold(second, lanes.given(first));
  for (int i = 0; i < 4; ++i)
    lanes.give(second, [&] { order += 'b'; });
  EXPECT_TRUE(lanes.runAll());
  return order;
}

TEST(Lanes, RunInAnyOrderThatEventsAllow) {
  std::set<std::string> without, with;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    without.insert(orderOf(seed, false));
    with.insert(orderOf(seed, true));
    EXPECT_EQ(orderOf(seed, false), orderOf(seed, false));
  }
  EXPECT_GT(without.size(), 5u);
  EXPECT_TRUE(without.count("bbbbaaaa")); // the far end of what is legal
  EXPECT_EQ(with, std::set<std::string>{"aaaabbbb"});
}

TEST(Lanes, RunUntilAPointAndNotBefore) {
  int late = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Lanes lanes(seed);
    int lane = lanes.add(), count = 0;
    auto two = lanes.given(lane);
    for (int i = 0; i < 5; ++i) {
      auto given = lanes.give(lane, [&] { ++count; });
      if (i == 1)
        two = given;
    }
    late += count < 2;
    EXPECT_TRUE(lanes.runUntil(two));
    EXPECT_GE(count, 2);
    EXPECT_TRUE(lanes.isPast(two, /*step=*/false));
    EXPECT_TRUE(lanes.runAll());
    EXPECT_EQ(count, 5);
  }
  EXPECT_GT(late, 5); // most of the time nothing had run by itself
}

/// No program can do that; a broken device must not hang.
TEST(Lanes, SayWhenTheyWaitForEachOther) {
  Lanes lanes(1);
  int first = lanes.add(), second = lanes.add();
  lanes.hold(first, {second, 1});
  lanes.hold(second, {first, 1});
  Status status = lanes.runAll();
  EXPECT_FALSE(status);
  EXPECT_NE(status.message().find("wait for each other"), std::string::npos);
}

class Apart : public testing::Test {
protected:
  Apart() { make(3); }
  ~Apart() override {
    if (ctx)
      destroyContext(ctx);
  }

  void make(uint64_t seed) {
    if (ctx)
      destroyContext(ctx);
    device = makeApartDevice(seed);
    unit = {};
    ASSERT_TRUE(loadUnit(code.code, unit));
    void *regions[RB_REGION_COUNT] = {};
    regions[RB_HOST] = numbers;
    for (int i : {RB_PRIVATE, RB_SCRATCH})
      ASSERT_TRUE(
          device->memory(unit.regionBytes[i], "a test", false, regions[i]));
    ctx = makeContext({.unit = unit,
                       .environment = environment,
                       .caller = {0, 0, 0},
                       .device = *device,
                       .regions = regions});
  }

  SampleUnit code;
  Unit unit;
  int64_t numbers[8] = {}; // of the host
  test::FakeEnvironment environment;
  std::unique_ptr<MemberDevice> device;
  rb_ctx *ctx = nullptr;
};

/// What reaches around the device ends here, not in a wrong number.
TEST_F(Apart, TouchingItsMemoryFaults) {
  auto *cells = static_cast<volatile float *>(rb_regions(ctx)[RB_PRIVATE]);
  EXPECT_DEATH(cells[0] = 1, "");
  EXPECT_DEATH((void)cells[0], "");
  ASSERT_EQ(rb_renew(ctx, RB_FIRST_VALUE, 0), RB_OK);
  auto *value = static_cast<volatile float *>(rb_regions(ctx)[RB_FIRST_VALUE]);
  EXPECT_DEATH((void)value[0], "");
}

const rb_kernel addOne = handKernel(
    "add-one", [](void *const *args, int64_t lo, int64_t hi, void *) {
      for (int64_t i = lo; i < hi; ++i)
        static_cast<float *>(args[0])[i] += 1;
    });

/// Launches, writes, copies and reads are in order with the compute lane, and
/// the host may use its own side again at once.
TEST_F(Apart, ComputesInOrder) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    make(seed);
    float values[] = {1, 2, 3};
    ASSERT_EQ(rb_write(ctx, RB_SCRATCH, 0, values, sizeof values), RB_OK);
    values[0] = 99;
    void *args[] = {rb_regions(ctx)[RB_SCRATCH]};
    ASSERT_EQ(rb_launch(ctx, RB_COMPUTE, &addOne, args, 0, 3, nullptr, 0),
              RB_OK);
    args[0] = nullptr;
    ASSERT_EQ(rb_copy(ctx, RB_SCRATCH, 32, RB_SCRATCH, 0, sizeof values),
              RB_OK);
    ASSERT_EQ(rb_clear(ctx, RB_SCRATCH, 4, 4), RB_OK);
    float got[3], copied[3];
    ASSERT_EQ(rb_read(ctx, RB_SCRATCH, 32, copied, sizeof copied), RB_OK);
    ASSERT_EQ(rb_read(ctx, RB_SCRATCH, 0, got, sizeof got), RB_OK);
    const float sums[] = {2, 3, 4}, cleared[] = {2, 0, 4};
    EXPECT_EQ(std::memcmp(copied, sums, sizeof sums), 0);
    EXPECT_EQ(std::memcmp(got, cleared, sizeof cleared), 0);
  }
}

/// A value that nobody has written is no zeros, and one that is renewed keeps
/// what it shall keep.
TEST_F(Apart, ValuesAreRenewed) {
  float got = 0;
  ASSERT_EQ(rb_renew(ctx, RB_FIRST_VALUE, 0), RB_OK);
  ASSERT_EQ(rb_read(ctx, RB_FIRST_VALUE, 0, &got, sizeof got), RB_OK);
  EXPECT_TRUE(std::isnan(got));
  float number = 5;
  ASSERT_EQ(rb_write(ctx, RB_FIRST_VALUE, 0, &number, sizeof number), RB_OK);
  ASSERT_EQ(rb_copy(ctx, RB_FIRST_VALUE + 1, 0, RB_FIRST_VALUE, 0,
                    unit.valueBytes[0]),
            RB_OK); // shares the memory
  number = 6;
  ASSERT_EQ(rb_write(ctx, RB_FIRST_VALUE, 0, &number, sizeof number), RB_OK);
  ASSERT_EQ(rb_read(ctx, RB_FIRST_VALUE + 1, 0, &got, sizeof got), RB_OK);
  EXPECT_EQ(got, 5);
  ASSERT_EQ(rb_read(ctx, RB_FIRST_VALUE, 0, &got, sizeof got), RB_OK);
  EXPECT_EQ(got, 6);
}

int bodiesRun = 0;
const rb_kernel countBody = handKernel(
    "count", [](void *const *, int64_t, int64_t, void *) { ++bodiesRun; }, 0);

/// The host's numbers are there at once, and go to and fro.
TEST_F(Apart, NumbersOfTheHostWaitForNobody) {
  int64_t number = 7, got = 0;
  int late = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    make(seed);
    bodiesRun = 0;
    ASSERT_EQ(rb_launch(ctx, RB_COMPUTE, &countBody, nullptr, 0, 1, nullptr, 0),
              RB_OK);
    ASSERT_EQ(rb_write(ctx, RB_HOST, 8, &number, sizeof number), RB_OK);
    ASSERT_EQ(rb_read(ctx, RB_HOST, 8, &got, sizeof got), RB_OK);
    EXPECT_EQ(got, 7);
    EXPECT_EQ(numbers[1], 7);
    late += bodiesRun == 0;
  }
  EXPECT_GT(late, 5); // the kernel had not run
  ASSERT_EQ(rb_copy(ctx, RB_SCRATCH, 0, RB_HOST, 8, sizeof number), RB_OK);
  ASSERT_EQ(rb_copy(ctx, RB_HOST, 16, RB_HOST, 8, sizeof number), RB_OK);
  ASSERT_EQ(rb_clear(ctx, RB_HOST, 8, 8), RB_OK);
  ASSERT_EQ(rb_copy(ctx, RB_HOST, 0, RB_SCRATCH, 0, sizeof number), RB_OK);
  EXPECT_EQ(numbers[0], 7);
  EXPECT_EQ(numbers[1], 0);
  EXPECT_EQ(numbers[2], 7);
  EXPECT_EQ(bodiesRun, 1); // the last copy came from the device
}

TEST_F(Apart, PollWaitsForBodies) {
  int behind = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    make(seed);
    bodiesRun = 0;
    for (int body = 1; body <= 6; ++body) {
      ASSERT_EQ(
          rb_launch(ctx, RB_COMPUTE, &countBody, nullptr, 0, 1, nullptr, 0),
          RB_OK);
      ASSERT_EQ(rb_body(ctx), RB_OK);
      int32_t done = 0;
      ASSERT_EQ(rb_poll(ctx, 1, 2, &done), RB_OK);
      EXPECT_GE(bodiesRun, body - 2);
      behind += bodiesRun < body;
    }
    int32_t done = 0;
    ASSERT_EQ(rb_poll(ctx, 1, 0, &done), RB_OK);
    EXPECT_EQ(bodiesRun, 6);
  }
  EXPECT_GT(behind, 20); // it does run ahead
}

/// Two strands that take turns under a lock: their lanes do too.
TEST_F(Apart, LocksOrderLanesOfStrands) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    device = makeApartDevice(seed);
    Status error;
    std::vector<void *> regions(RB_REGION_COUNT + unit.valueBytes.size());
    void *memory = nullptr;
    ASSERT_TRUE(device->memory(64, "a test", false, memory));
    for (void *&region : regions)
      region = memory;
    DeviceSetup setup{.unit = unit, .regions = regions.data(), .error = error};
    auto one = device->strand(setup), other = device->strand(setup);
    for (int turn = 0; turn < 8; ++turn) {
      Device &its = turn % 2 ? *one : *other;
      its.locked(0);
      // Twice what it was, plus one: any other order gives another number.
      void *args[] = {memory};
      static const rb_kernel step = handKernel(
          "step", [](void *const *args, int64_t lo, int64_t, void *) {
            auto &number = *static_cast<int64_t *>(args[0]);
            number = 2 * number + lo;
          });
      its.launch(RB_COMPUTE, step, args, turn % 3, 9, nullptr, 0);
      its.unlocking(0);
    }
    int64_t expected = 0, got = 0;
    for (int turn = 0; turn < 8; ++turn)
      expected = 2 * expected + turn % 3;
    ASSERT_TRUE(device->read(&got, memory, sizeof got));
    EXPECT_EQ(got, expected) << "seed " << seed;
  }
}

} // namespace
