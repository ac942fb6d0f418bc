// The ABI with one worker: what it does, and what it refuses.
#include "../common/sample_unit.h"

#include <gtest/gtest.h>

using namespace rubato;

namespace {

class Context : public testing::Test {
protected:
  Context() {
    EXPECT_TRUE(Group::create(1, 128, 128, group));
    options.stop = &stop;
    worker = std::make_unique<SampleWorker>(code, *group, options);
    EXPECT_TRUE(worker->start) << worker->start.message();
    ctx = worker->context;
  }

  void expectInvalid(int32_t status, const char *message) {
    EXPECT_EQ(status, RB_INVALID);
    EXPECT_NE(worker->error().find(message), std::string::npos)
        << worker->error();
  }

  SampleUnit code;
  std::unique_ptr<Group> group;
  std::atomic<int> stop{0};
  ContextOptions options;
  std::unique_ptr<SampleWorker> worker;
  rb_ctx *ctx = nullptr;
};

const rb_range sharedFloats = {RB_SHARED, RB_F32, 0, 6};
const rb_range resultFloats = {RB_RESULT, RB_F32, 0, 6};

TEST_F(Context, RegionsAreAligned) {
  for (int region = 0; region < RB_REGION_COUNT; ++region)
    EXPECT_EQ(reinterpret_cast<uintptr_t>(rb_regions(ctx)[region]) % 64, 0u);
  EXPECT_EQ(rb_regions(ctx)[RB_SHARED], group->shared(0));
  EXPECT_EQ(rb_regions(ctx)[RB_RESULT], group->result());
}

TEST_F(Context, FactsOfTheRound) {
  EXPECT_EQ(rb_members(ctx), 1);
  EXPECT_EQ(rb_rank(ctx), 0);
  EXPECT_EQ(rb_quanta(ctx), 3);
  EXPECT_EQ(rb_stop_requested(ctx), 0);
  stop = 1;
  EXPECT_EQ(rb_stop_requested(ctx), 1);
}

TEST_F(Context, LaunchRunsTheKernel) {
  rb_kernel kernel = {"fill", [](void *const *args, int64_t lo, int64_t hi) {
                        for (int64_t i = lo; i < hi; ++i)
                          static_cast<float *>(args[0])[i] = float(i);
                      }};
  void *args[] = {rb_regions(ctx)[RB_SHARED]};
  EXPECT_EQ(rb_launch(ctx, RB_COMPUTE, &kernel, args, 2, 5, nullptr, 0), RB_OK);
  const float expected[] = {0, 0, 2, 3, 4, 0};
  EXPECT_EQ(std::memcmp(args[0], expected, sizeof(expected)), 0);
}

TEST_F(Context, CollectiveOfOneIsACopyAndKeepsItsInput) {
  float values[] = {1, -0.0f, 3, 4, 5, 6}, sum[6];
  EXPECT_EQ(rb_write(ctx, RB_SHARED, 0, values, sizeof(values)), RB_OK);
  EXPECT_EQ(rb_future_done(ctx, 1), 1); // nothing was started under it
  EXPECT_EQ(rb_collective(ctx, RB_COMM, RB_ALL_REDUCE_SUM, 0, 0, &sharedFloats,
                          1, &resultFloats, 1, 1),
            RB_OK);
  EXPECT_EQ(rb_record(ctx, RB_COMM, 2), RB_OK);
  EXPECT_EQ(rb_query(ctx, 2), 1);
  EXPECT_EQ(rb_wait(ctx, RB_COMPUTE, 2), RB_OK);
  EXPECT_EQ(rb_future_done(ctx, 1), 1);
  EXPECT_EQ(rb_future_await(ctx, 1), RB_OK);
  EXPECT_EQ(rb_read(ctx, RB_RESULT, 0, sum, sizeof(sum)), RB_OK);
  EXPECT_EQ(std::memcmp(sum, values, sizeof(sum)), 0);
  EXPECT_EQ(std::memcmp(group->shared(0), values, sizeof(values)), 0);
}

TEST_F(Context, NextBatchFillsTheBuffers) {
  EXPECT_EQ(rb_next_batch(ctx), RB_OK);
  EXPECT_EQ(rb_next_batch(ctx), RB_OK);
  EXPECT_EQ(worker->at<float>(RB_PRIVATE, 192)[3], 4);
  EXPECT_EQ(*worker->at<int64_t>(RB_PRIVATE, 384), 1);
}

TEST_F(Context, NextBatchReportsTheSourcesError) {
  struct Empty : BatchSource {
    int64_t quanta() const override { return 0; }
    Status next(const BatchBuffers &) override {
      return Status::user("labels.npy: row 3 is damaged");
    }
  } empty;
  setBatchSource(ctx, empty);
  EXPECT_EQ(rb_quanta(ctx), 0);
  EXPECT_EQ(rb_next_batch(ctx), RB_DATA);
  EXPECT_EQ(worker->error(), "labels.npy: row 3 is damaged");
}

TEST_F(Context, ChecksTheOrderOfCollectives) {
  auto collective = [&](int32_t channel, int64_t seq) {
    return rb_collective(ctx, RB_COMM, RB_ALL_REDUCE_SUM, channel, seq,
                         &sharedFloats, 1, &resultFloats, 1, 0);
  };
  expectInvalid(collective(0, 1), "follows collective -1");
  for (int64_t seq : {0, 1, 2, 0, 1, 0})
    EXPECT_EQ(collective(0, seq), RB_OK);
  EXPECT_EQ(collective(1, 0), RB_OK); // channels count apart
  expectInvalid(collective(0, 2), "collective 2 of channel 0: it follows");
  expectInvalid(collective(64, 0), "there are 64 channels");
}

TEST_F(Context, ChecksTheRangesOfCollectives) {
  auto collective = [&](rb_range in, rb_range out) {
    return rb_collective(ctx, RB_COMM, RB_ALL_REDUCE_SUM, 0, 0, &in, 1, &out, 1,
                         0);
  };
  expectInvalid(collective({RB_PRIVATE, RB_F32, 0, 6}, resultFloats),
                "input 0 is not a range of the shared region");
  expectInvalid(collective(sharedFloats, {RB_SHARED, RB_F32, 0, 6}),
                "output 0 is not a range of the result region");
  for (rb_range bad :
       {rb_range{RB_SHARED, RB_F32, 112, 6}, rb_range{RB_SHARED, RB_F32, -4, 6},
        rb_range{RB_SHARED, RB_F32, 2, 6},
        rb_range{RB_SHARED, RB_F32, 0, INT64_MAX},
        rb_range{RB_SHARED, RB_F32, 0, -1}, rb_range{RB_SHARED, 7, 0, 6},
        rb_range{9, RB_F32, 0, 6}})
    expectInvalid(collective(bad, resultFloats), "input 0 is not a range");
  expectInvalid(collective(sharedFloats, {RB_RESULT, RB_F32, 0, 5}),
                "differ in type or size");
  expectInvalid(collective(sharedFloats, {RB_RESULT, RB_F64, 0, 6}),
                "differ in type or size");
}

TEST_F(Context, RefusesWhatDoesNotExist) {
  EXPECT_EQ(beginRound(ctx), RB_OK);
  rb_kernel kernel = {"k", [](void *const *, int64_t, int64_t) {}};
  expectInvalid(rb_launch(ctx, RB_COMM, &kernel, nullptr, 0, 1, nullptr, 0),
                "rank 0, segment round: kernels run on the compute lane");
  expectInvalid(rb_record(ctx, RB_COMPUTE, 3), "record of event 3");
  expectInvalid(rb_record(ctx, 2, 0), "on lane 2");
  expectInvalid(rb_wait(ctx, RB_COMPUTE, -1), "wait for event -1");
  EXPECT_EQ(rb_query(ctx, 3), 1);
  EXPECT_EQ(rb_future_done(ctx, 2), 1);
  expectInvalid(rb_future_await(ctx, 2), "no future 2");
  expectInvalid(rb_future_await(ctx, 0), "nothing was started under it");
  char byte = 0;
  expectInvalid(rb_read(ctx, RB_PRIVATE, 1024, &byte, 1), "read outside");
  expectInvalid(rb_read(ctx, RB_PRIVATE, INT64_MAX, &byte, 1), "read outside");
  expectInvalid(rb_read(ctx, 3, 0, &byte, 1), "read outside");
  expectInvalid(rb_write(ctx, RB_PRIVATE, 0, &byte, -1), "write outside");
  expectInvalid(rb_write(ctx, RB_RESULT, 0, &byte, 1), "only collectives");
}

TEST_F(Context, NeedsAGroupThatFits) {
  std::unique_ptr<Group> small;
  ASSERT_TRUE(Group::create(1, 64, 128, small));
  SampleWorker tight(code, *small);
  EXPECT_NE(tight.start.message().find("smaller than the unit's"),
            std::string::npos);
  ContextOptions second;
  second.rank = 1;
  SampleWorker outside(code, *group, second);
  EXPECT_NE(outside.start.message().find("rank 1 is not in a group of 1"),
            std::string::npos);
}

TEST_F(Context, RefusesMoreMemoryThanTheMachineHas) {
  std::string text = sampleManifest();
  text.replace(text.find("1024"), 4, std::to_string(int64_t(1) << 45));
  SampleUnit huge(nullptr, text);
  SampleWorker worker(huge, *group);
  EXPECT_NE(worker.start.message().find("this machine has"), std::string::npos);
}

} // namespace
