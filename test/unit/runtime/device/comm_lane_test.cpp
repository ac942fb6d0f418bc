// Lanes, events and futures with several workers, each on a thread of its own.
#include "../common/sample_unit.h"

#include <functional>
#include <gtest/gtest.h>
#include <thread>

using namespace rubato;

namespace {

constexpr rb_range floatsIn = {RB_SHARED, RB_F32, 0, 6};
constexpr rb_range floatsOut = {RB_RESULT, RB_F32, 0, 6};

int32_t reduce(rb_ctx *ctx, int64_t seq, int32_t future) {
  return rb_collective(ctx, RB_COMM, RB_ALL_REDUCE_SUM, 0, seq, &floatsIn, 1,
                       &floatsOut, 1, future);
}

/// Runs `body` as every rank of a group of n.
void runGroup(int members, Group &group,
              const std::function<void(SampleWorker &)> &body,
              std::chrono::milliseconds deadline = std::chrono::seconds(60)) {
  SampleUnit code;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < members; ++rank)
    threads.emplace_back([&, rank] {
      ContextOptions options;
      options.rank = rank;
      options.deadline = deadline;
      SampleWorker worker(code, group, options);
      ASSERT_TRUE(worker.start) << worker.start.message();
      body(worker);
    });
  for (std::thread &thread : threads)
    thread.join();
}

std::unique_ptr<Group> groupOf(int members) {
  std::unique_ptr<Group> group;
  EXPECT_TRUE(Group::create(members, 128, 128, group));
  return group;
}

TEST(CommLane, EventsOrderTheLanes) {
  for (int members : {2, 4}) {
    auto group = groupOf(members);
    runGroup(members, *group, [&](SampleWorker &worker) {
      rb_ctx *ctx = worker.context;
      float *mine = worker.at<float>(RB_SHARED, 0);
      const float *sum = worker.at<float>(RB_RESULT, 0);
      for (int round = 0; round < 200; ++round) {
        for (int i = 0; i < 6; ++i)
          mine[i] = float(round * i) + float(rb_rank(ctx));
        ASSERT_EQ(rb_record(ctx, RB_COMPUTE, 0), RB_OK);
        ASSERT_EQ(rb_wait(ctx, RB_COMM, 0), RB_OK);
        ASSERT_EQ(reduce(ctx, 0, 0), RB_OK);
        ASSERT_EQ(rb_record(ctx, RB_COMM, 1), RB_OK);
        ASSERT_EQ(rb_wait(ctx, RB_COMPUTE, 1), RB_OK);
        ASSERT_EQ(rb_query(ctx, 1), 1);
        for (int i = 0; i < 6; ++i)
          ASSERT_EQ(sum[i],
                    float(members * round * i + members * (members - 1) / 2));
        // Nobody may overwrite the sum before all have read it.
        ASSERT_EQ(rb_collective(ctx, RB_COMM, RB_ALL_REDUCE_SUM, 0, 1, nullptr,
                                0, nullptr, 0, 1),
                  RB_OK);
        ASSERT_EQ(rb_future_await(ctx, 1), RB_OK);
      }
    });
  }
}

TEST(CommLane, AnEventIsNotReachedBeforeItsCollective) {
  auto group = groupOf(2);
  std::atomic<bool> go{false};
  runGroup(2, *group, [&](SampleWorker &worker) {
    rb_ctx *ctx = worker.context;
    if (rb_rank(ctx) == 1)
      while (!go)
        std::this_thread::yield();
    ASSERT_EQ(reduce(ctx, 0, 0), RB_OK);
    ASSERT_EQ(rb_record(ctx, RB_COMM, 0), RB_OK);
    if (rb_rank(ctx) == 0) {
      // Rank 1 waits for us to look, so the collective cannot be complete.
      EXPECT_EQ(rb_query(ctx, 0), 0);
      EXPECT_EQ(rb_future_done(ctx, 0), 0);
      // A wait takes the latest record; one on the compute lane is reached.
      EXPECT_EQ(rb_record(ctx, RB_COMPUTE, 1), RB_OK);
      EXPECT_EQ(rb_query(ctx, 1), 1);
      EXPECT_EQ(rb_wait(ctx, RB_COMPUTE, 1), RB_OK);
      EXPECT_EQ(rb_wait(ctx, RB_COMPUTE, 2), RB_OK); // never recorded
      go = true;
    }
    EXPECT_EQ(rb_wait(ctx, RB_COMPUTE, 0), RB_OK);
    EXPECT_EQ(rb_query(ctx, 0), 1);
    EXPECT_EQ(rb_future_done(ctx, 0), 1);
    EXPECT_EQ(rb_future_await(ctx, 0), RB_OK);
  });
}

TEST(CommLane, MoreCollectivesThanTheQueueHolds) {
  auto group = groupOf(2);
  runGroup(2, *group, [](SampleWorker &worker) {
    for (int64_t seq = 0; seq < 1000; ++seq)
      ASSERT_EQ(reduce(worker.context, seq, 0), RB_OK);
    ASSERT_EQ(rb_future_await(worker.context, 0), RB_OK);
  });
}

TEST(CommLane, ALostPeerReachesTheWaitByName) {
  auto group = groupOf(3);
  std::atomic<int> waiting{0};
  std::thread launcher([&] {
    while (waiting < 2)
      std::this_thread::yield();
    group->abort(1);
  });
  runGroup(3, *group, [&](SampleWorker &worker) {
    rb_ctx *ctx = worker.context;
    if (rb_rank(ctx) == 1)
      return; // dies before its first collective
    ASSERT_EQ(reduce(ctx, 0, 0), RB_OK);
    ASSERT_EQ(rb_record(ctx, RB_COMM, 0), RB_OK);
    ++waiting;
    EXPECT_EQ(rb_wait(ctx, RB_COMPUTE, 0), RB_PEER_LOST);
    EXPECT_EQ(worker.error().find("rank " + std::to_string(rb_rank(ctx)) +
                                  ": all-reduce 0 of channel 0: rank 1 is "
                                  "gone"),
              0u)
        << worker.error();
    EXPECT_EQ(lastError(ctx).code(), ErrorCode::Communication);
    // A failed future is done, and says so when awaited; so do later ones.
    EXPECT_EQ(rb_future_done(ctx, 0), 1);
    EXPECT_EQ(rb_future_await(ctx, 0), RB_PEER_LOST);
    EXPECT_EQ(reduce(ctx, 1, 1), RB_OK);
    EXPECT_EQ(rb_future_await(ctx, 1), RB_PEER_LOST);
  });
  launcher.join();
}

TEST(CommLane, ALatePeerIsNamedAfterTheDeadline) {
  auto group = groupOf(2);
  std::atomic<bool> ended{false};
  runGroup(
      2, *group,
      [&](SampleWorker &worker) {
        if (rb_rank(worker.context) == 1) {
          while (!ended)
            std::this_thread::yield();
          return;
        }
        EXPECT_EQ(reduce(worker.context, 0, 0), RB_OK);
        EXPECT_EQ(rb_future_await(worker.context, 0), RB_TIMED_OUT);
        EXPECT_NE(worker.error().find("rank 1 did not arrive"),
                  std::string::npos)
            << worker.error();
        ended = true;
      },
      std::chrono::milliseconds(20));
}

TEST(CommLane, AFailedWorkerDoesNotKeepItsPeersWaiting) {
  struct Broken : BatchSource {
    int64_t quanta() const override { return 1; }
    Status next(const BatchBuffers &) override { return Status::user("torn"); }
  } broken;
  auto group = groupOf(2);
  runGroup(2, *group, [&](SampleWorker &worker) {
    rb_ctx *ctx = worker.context;
    ASSERT_EQ(reduce(ctx, 0, 0), RB_OK);
    ASSERT_EQ(rb_future_await(ctx, 0), RB_OK);
    if (rb_rank(ctx) == 1) {
      // Leaves with a collective open, which rank 0 has not joined yet.
      ASSERT_EQ(reduce(ctx, 1, 0), RB_OK);
      setBatchSource(ctx, broken);
      EXPECT_EQ(rb_next_batch(ctx), RB_DATA);
      return;
    }
    while (group->verdict() == RB_OK)
      std::this_thread::yield();
    EXPECT_EQ(reduce(ctx, 1, 0), RB_OK);
    EXPECT_EQ(rb_future_await(ctx, 0), RB_PEER_LOST);
    EXPECT_NE(worker.error().find("rank 1 is gone"), std::string::npos);
  });
}

TEST(CommLane, DifferentCallsAreAnErrorNotAHang) {
  auto group = groupOf(2);
  runGroup(2, *group, [&](SampleWorker &worker) {
    rb_ctx *ctx = worker.context;
    rb_range in = floatsIn, out = floatsOut;
    in.count = out.count = 6 - rb_rank(ctx);
    ASSERT_EQ(rb_collective(ctx, RB_COMM, RB_ALL_REDUCE_SUM, 0, 0, &in, 1, &out,
                            1, 0),
              RB_OK);
    EXPECT_EQ(rb_future_await(ctx, 0), RB_INVALID);
    EXPECT_NE(worker.error().find("same executable"), std::string::npos)
        << worker.error();
  });
}

} // namespace
