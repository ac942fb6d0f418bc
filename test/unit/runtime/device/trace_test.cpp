// The trace device prints a round's schedule and executes none of it.
#include "../common/hand_kernel.h"
#include "../common/sample_unit.h"

#include <gtest/gtest.h>
#include <stdio.h>
#include <stdlib.h>

using namespace rubato;

namespace {

void mustNotRun(void *const *, int64_t, int64_t, void *) { abort(); }
const rb_kernel forward = handKernel("fc.forward", mustNotRun);

int32_t tracedRound(rb_ctx *ctx, int32_t *go) {
  rb_access accesses[] = {{RB_PRIVATE, RB_READ, 0, 24},
                          {RB_FIRST_VALUE, RB_WRITE, 0, 24},
                          {RB_SCRATCH, RB_READ | RB_WRITE, 64, 8}};
  int64_t samples = 7;
  int32_t bad =
      beginSegment(ctx) |
      rb_launch(ctx, RB_COMPUTE, &forward, nullptr, 0, 2, accesses, 3) |
      rb_record(ctx, RB_COMPUTE, 0) | rb_wait(ctx, RB_COMM, 0) |
      rb_record(ctx, RB_COMM, 2) | rb_wait(ctx, RB_COMPUTE, 2) |
      rb_segment_end(ctx) | rb_clear(ctx, RB_FIRST_VALUE + 1, 0, 24) |
      rb_copy(ctx, RB_SCRATCH, 8, RB_FIRST_VALUE, 0, 24) |
      rb_read(ctx, RB_SCRATCH, 64, &samples, 8) |
      rb_write(ctx, RB_PRIVATE, 128, &samples, 8);
  *go = samples == 0; // nothing was computed
  return bad;
}

const char *const expected =
    "segment worker.gradient\n"
    "launch compute fc.forward [0,2) read private 0+24 write value 0 0+24 "
    "read-write scratch 64+8\n"
    "record compute event 0\n"
    "wait comm event 0\n"
    "record comm event 2\n"
    "wait compute event 2\n"
    "clear value 1 0+24\n"
    "copy value 0 0+24 to scratch 8+24\n"
    "read scratch 64+8\n"
    "write private 128+8\n";

TEST(Trace, PrintsTheScheduleAndRunsNothing) {
  SampleUnit code(tracedRound);
  char *text = nullptr;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  SampleStrand strand(code, makeTraceDevice(file));
  ASSERT_TRUE(strand.start) << strand.start.message();
  strand.at<int64_t>(RB_PRIVATE, 128)[0] = 9;
  int32_t go = 0;
  EXPECT_EQ(strand.unit.code->functions[0].fn(strand.context, &go), RB_OK);
  EXPECT_EQ(go, 1);
  EXPECT_EQ(strand.at<int64_t>(RB_PRIVATE, 128)[0], 9);
  // What is wrong on a device that executes is wrong here too.
  EXPECT_EQ(rb_record(strand.context, RB_COMPUTE, 3), RB_INVALID);
  for (rb_access outside : {rb_access{RB_SCRATCH, RB_READ, 120, 16},
                            rb_access{RB_FIRST_VALUE, RB_READ, 16, 16},
                            rb_access{RB_FIRST_VALUE + 2, RB_READ, 0, 1},
                            rb_access{-1, RB_READ, 0, 1}}) {
    EXPECT_EQ(rb_launch(strand.context, RB_COMPUTE, &forward, nullptr, 0, 2,
                        &outside, 1),
              RB_INVALID);
    EXPECT_NE(strand.error().find("kernel fc.forward declares access 0"),
              std::string::npos);
  }
  fclose(file);
  std::string refused;
  for (int i = 0; i < 4; ++i)
    refused += "launch compute fc.forward [0,2) ?\n";
  EXPECT_EQ(std::string(text), expected + refused);
  free(text);
}

TEST(Trace, ReportsAFullDisk) {
  FILE *full = fopen("/dev/full", "w");
  if (!full)
    GTEST_SKIP() << "no /dev/full here";
  setvbuf(full, nullptr, _IONBF, 0);
  SampleUnit code;
  SampleStrand strand(code, makeTraceDevice(full));
  ASSERT_TRUE(strand.start);
  EXPECT_NE(beginSegment(strand.context), RB_OK);
  EXPECT_NE(strand.error().find("cannot write the trace"), std::string::npos);
  fclose(full);
}

} // namespace
