// The trace device prints a round's schedule and executes none of it.
#include "../common/sample_unit.h"

#include <gtest/gtest.h>
#include <stdio.h>
#include <stdlib.h>

using namespace rubato;

namespace {

void mustNotRun(void *const *, int64_t, int64_t) { abort(); }
const rb_kernel forward = {"fc.forward", mustNotRun};

int32_t tracedRound(rb_ctx *ctx, int32_t *go) {
  rb_access accesses[] = {{RB_PRIVATE, RB_READ, 0, 24},
                          {RB_SHARED, RB_WRITE, 0, 24},
                          {RB_PRIVATE, RB_READ | RB_WRITE, 128, 8}};
  rb_range ins[] = {{RB_SHARED, RB_F32, 0, 6}, {RB_SHARED, RB_I64, 64, 1}};
  rb_range outs[] = {{RB_RESULT, RB_F32, 0, 6}, {RB_RESULT, RB_I64, 64, 1}};
  int64_t samples = 7;
  int32_t bad =
      beginRound(ctx) | rb_next_batch(ctx) |
      rb_launch(ctx, RB_COMPUTE, &forward, nullptr, 0, 2, accesses, 3) |
      rb_record(ctx, RB_COMPUTE, 0) | rb_wait(ctx, RB_COMM, 0) |
      rb_collective(ctx, RB_COMM, RB_ALL_REDUCE_SUM, 0, 0, ins, 2, outs, 2, 1) |
      rb_record(ctx, RB_COMM, 2) | rb_wait(ctx, RB_COMPUTE, 2) |
      rb_future_await(ctx, 1) | rb_read(ctx, RB_RESULT, 64, &samples, 8) |
      rb_write(ctx, RB_PRIVATE, 128, &samples, 8);
  *go = rb_query(ctx, 2) && rb_future_done(ctx, 1) && samples == 0;
  return bad;
}

const char *const expected =
    "segment round\n"
    "next_batch\n"
    "launch compute fc.forward [0,2) read private 0+24 write shared 0+24 "
    "read-write private 128+8\n"
    "record compute event 0\n"
    "wait comm event 0\n"
    "collective comm all_reduce sum channel 0 seq 0 in shared 0+24 f32 "
    "in shared 64+8 i64 out result 0+24 f32 out result 64+8 i64 future 1\n"
    "record comm event 2\n"
    "wait compute event 2\n"
    "await future 1\n"
    "read result 64+8\n"
    "write private 128+8\n"
    "query event 2\n"
    "done future 1\n";

TEST(Trace, PrintsTheScheduleAndRunsNothing) {
  SampleUnit code(tracedRound);
  std::unique_ptr<Group> group;
  ASSERT_TRUE(Group::create(2, 128, 128, group)); // the peer never comes
  char *text = nullptr;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  ContextOptions options;
  options.device = DeviceKind::Trace;
  options.traceFile = file;
  SampleWorker worker(code, *group, options);
  ASSERT_TRUE(worker.start) << worker.start.message();
  int32_t go = 0;
  EXPECT_EQ(worker.unit.code->round(worker.context, &go), RB_OK);
  EXPECT_EQ(go, 1);
  EXPECT_EQ(worker.source.calls, 0);
  // What is wrong on a device that executes is wrong here too.
  rb_range range = {RB_PRIVATE, RB_F32, 0, 6};
  EXPECT_EQ(rb_collective(worker.context, RB_COMM, RB_ALL_REDUCE_SUM, 0, 0,
                          &range, 1, &range, 1, 0),
            RB_INVALID);
  rb_access outside = {RB_SHARED, RB_READ, 120, 16};
  EXPECT_EQ(rb_launch(worker.context, RB_COMPUTE, &forward, nullptr, 0, 2,
                      &outside, 1),
            RB_INVALID);
  EXPECT_NE(worker.error().find("kernel fc.forward declares access 0"),
            std::string::npos);
  fclose(file);
  EXPECT_EQ(std::string(text),
            std::string(expected) + "launch compute fc.forward [0,2) ?\n");
  free(text);
}

TEST(Trace, ReportsAFullDisk) {
  FILE *full = fopen("/dev/full", "w");
  if (!full)
    GTEST_SKIP() << "no /dev/full here";
  setvbuf(full, nullptr, _IONBF, 0);
  SampleUnit code;
  std::unique_ptr<Group> group;
  ASSERT_TRUE(Group::create(1, 128, 128, group));
  ContextOptions options;
  options.device = DeviceKind::Trace;
  options.traceFile = full;
  SampleWorker worker(code, *group, options);
  ASSERT_TRUE(worker.start);
  EXPECT_NE(beginRound(worker.context), RB_OK);
  EXPECT_NE(worker.error().find("cannot write the trace"), std::string::npos);
  fclose(full);
}

} // namespace
