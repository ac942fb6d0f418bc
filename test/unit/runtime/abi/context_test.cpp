// The ABI of one strand: what it does, and what it refuses.
#include "../common/hand_kernel.h"
#include "../common/sample_unit.h"

#include <gtest/gtest.h>

using namespace rubato;

namespace {

class Context : public testing::Test {
protected:
  Context() : strand(code), ctx(strand.context) {
    EXPECT_TRUE(strand.start) << strand.start.message();
  }

  void expectInvalid(int32_t status, const char *message) {
    EXPECT_EQ(status, RB_INVALID);
    EXPECT_NE(strand.error().find(message), std::string::npos)
        << strand.error();
  }

  SampleUnit code;
  SampleStrand strand;
  rb_ctx *ctx;
};

TEST_F(Context, HasItsRegions) {
  EXPECT_EQ(rb_regions(ctx)[RB_PRIVATE], strand.memory);
  EXPECT_EQ(rb_regions(ctx)[RB_SCRATCH], strand.scratch);
  // A value has memory once somebody wants to write to it.
  EXPECT_EQ(rb_regions(ctx)[RB_FIRST_VALUE], nullptr);
  ASSERT_EQ(rb_renew(ctx, RB_FIRST_VALUE, 0), RB_OK);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(rb_regions(ctx)[RB_FIRST_VALUE]) % 256,
            0u);
}

TEST_F(Context, LaunchRunsTheKernel) {
  rb_kernel kernel =
      handKernel("fill", [](void *const *args, int64_t lo, int64_t hi, void *) {
        for (int64_t i = lo; i < hi; ++i)
          static_cast<float *>(args[0])[i] = float(i);
      });
  void *args[] = {rb_regions(ctx)[RB_SCRATCH]};
  EXPECT_EQ(rb_launch(ctx, RB_COMPUTE, &kernel, args, 2, 5, nullptr, 0), RB_OK);
  const float expected[] = {0, 0, 2, 3, 4, 0};
  EXPECT_EQ(std::memcmp(args[0], expected, sizeof(expected)), 0);
}

TEST_F(Context, MovesBytes) {
  float values[] = {1, -0.0f, 3, 4, 5, 6}, got[6];
  EXPECT_EQ(rb_write(ctx, RB_FIRST_VALUE, 0, values, sizeof values), RB_OK);
  EXPECT_EQ(rb_copy(ctx, RB_SCRATCH, 8, RB_FIRST_VALUE, 0, sizeof values),
            RB_OK);
  EXPECT_EQ(rb_clear(ctx, RB_SCRATCH, 12, 4), RB_OK);
  EXPECT_EQ(rb_read(ctx, RB_SCRATCH, 8, got, sizeof got), RB_OK);
  values[1] = 0;
  EXPECT_EQ(std::memcmp(got, values, sizeof got), 0);
}

/// On a device that is done when a call returns, events hold nobody back.
TEST_F(Context, EventsOrderTheLanes) {
  EXPECT_EQ(rb_record(ctx, RB_COMPUTE, 2), RB_OK);
  EXPECT_EQ(rb_wait(ctx, RB_COMM, 2), RB_OK);
  EXPECT_EQ(rb_wait(ctx, RB_COMPUTE, 0), RB_OK); // never recorded
}

TEST_F(Context, RefusesWhatDoesNotExist) {
  EXPECT_EQ(beginSegment(ctx), RB_OK);
  rb_kernel kernel =
      handKernel("k", [](void *const *, int64_t, int64_t, void *) {});
  expectInvalid(rb_launch(ctx, RB_COMM, &kernel, nullptr, 0, 1, nullptr, 0),
                "rank 0, segment worker.gradient: kernels run on the compute "
                "lane");
  EXPECT_EQ(rb_segment_end(ctx), RB_OK);
  expectInvalid(rb_record(ctx, RB_COMPUTE, 3), "rank 0: record of event 3");
  expectInvalid(rb_record(ctx, 2, 0), "on lane 2");
  expectInvalid(rb_wait(ctx, RB_COMPUTE, -1), "wait for event -1");
  char byte = 0;
  expectInvalid(rb_read(ctx, RB_PRIVATE, 1024, &byte, 1), "read outside");
  expectInvalid(rb_read(ctx, RB_PRIVATE, INT64_MAX, &byte, 1), "read outside");
  expectInvalid(rb_read(ctx, RB_FIRST_VALUE + 2, 0, &byte, 1), "read outside");
  expectInvalid(rb_read(ctx, -1, 0, &byte, 1), "read outside");
  expectInvalid(rb_write(ctx, RB_PRIVATE, 0, &byte, -1), "write outside");
  expectInvalid(rb_write(ctx, RB_FIRST_VALUE, 24, &byte, 1), "write outside");
  expectInvalid(rb_copy(ctx, RB_PRIVATE, 0, RB_SCRATCH, 120, 16),
                "copy outside");
  expectInvalid(rb_clear(ctx, RB_SCRATCH, 129, 0), "clearing outside");
}

} // namespace
