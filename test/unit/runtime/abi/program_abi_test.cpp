// The C functions of programs: what they pass on, and what they refuse.
#include "common/fake_environment.h"
#include "common/hand_kernel.h"
#include "common/hand_unit.h"
#include "common/points.h"

#include "context/context.h"

#include <bit>
#include <gtest/gtest.h>

using namespace rubato;
using namespace rubato::test;
using nlohmann::json;

namespace {

/// A unit with a channel of each kind, which no code runs.
json everyKind() {
  json manifest = delayedManifest();
  json &program = manifest["program"];
  json server = program["roles"][0];
  server["name"] = "server";
  server["count"] = 1;
  program["roles"].push_back(server);
  json channel = program["channels"][0];
  channel["kind"] = "pair";
  program["channels"].push_back(channel);
  channel["kind"] = "mailbox";
  channel["server"] = "server";
  program["channels"].push_back(channel);
  program["policies"] = {{{"name", "rule"},
                          {"kind", "staleness.rule"},
                          {"placement", "local"},
                          {"askers", {"server"}},
                          {"settings", json::object()},
                          {"entries",
                           {{{"name", "start"},
                             {"inputs", {"i64", "f64", "i1"}},
                             {"outputs", {"i1", "f64", "i64"}}}}}}};
  program["rendezvous"] = {{{"name", "turn"}, {"strands", {"worker.round"}}}};
  return manifest;
}

class ProgramAbi : public testing::Test {
protected:
  ProgramAbi() : code(everyKind(), delayedFunctions()) {
    Status status = loadUnit(code.code, unit);
    EXPECT_TRUE(status) << status.message();
    data = points.load(unit);
    void *regions[] = {&memory, &scratch, &numbers};
    ctx = makeContext({.unit = unit,
                       .environment = environment,
                       .caller = {1, 0, 5},
                       .device = *device,
                       .regions = regions,
                       .data = &data});
  }
  ~ProgramAbi() override { destroyContext(ctx); }

  void expectInvalid(int32_t status, const char *message) {
    EXPECT_EQ(status, RB_INVALID);
    std::string error = lastError(ctx).message();
    EXPECT_NE(error.find(message), std::string::npos) << error;
  }
  void expectCall(const char *call) {
    ASSERT_FALSE(environment.calls.empty());
    EXPECT_EQ(environment.calls.back(), std::string("0:5 ") + call);
  }

  HandUnit code;
  Unit unit;
  std::unique_ptr<MemberDevice> device = makeCpuDevice();
  int64_t numbers[8] = {}; // of the host
  Points points;
  Dataset data;
  FakeEnvironment environment;
  HandPrivate memory = {};
  HandScratch scratch = {};
  rb_ctx *ctx = nullptr;
  const rb_range range = {RB_PRIVATE, RB_F32, 0, 3};
};

TEST_F(ProgramAbi, FactsComeFromTheEnvironment) {
  EXPECT_EQ(rb_members(ctx), 3);
  EXPECT_EQ(rb_rank(ctx), 1);
  EXPECT_EQ(rb_quanta(ctx), 2);
  EXPECT_EQ(rb_round_samples(ctx), 24);
  EXPECT_EQ(rb_data_samples(ctx), 96);
  EXPECT_EQ(rb_now(ctx), 2.5);
  EXPECT_EQ(rb_stop_requested(ctx), 0);
  environment.rounds = 6;
  EXPECT_EQ(rb_stop_requested(ctx), 1);
  EXPECT_EQ(rb_workers(ctx, 2), 2);
}

TEST_F(ProgramAbi, PassesCallsOn) {
  EXPECT_EQ(rb_work(ctx, "gradient", 1), RB_OK);
  expectCall("begin gradient");
  EXPECT_EQ(rb_computed(ctx, 3, 0.5), RB_OK);
  expectCall("computed 3 0.500000");
  EXPECT_EQ(rb_lock(ctx, 0, "w v"), RB_OK);
  expectCall("lock 0 w v");
  EXPECT_EQ(rb_unlock(ctx, 0), RB_OK);
  int64_t future = 0;
  EXPECT_EQ(rb_all_reduce(ctx, 0, &range, 1, &future), RB_OK);
  EXPECT_EQ(future, 7);
  expectCall("start 0 of 1");
  EXPECT_EQ(rb_exchange(ctx, 1, 2, 5, &range, 1, &future), RB_OK);
  expectCall("exchange with 2");
  EXPECT_EQ(rb_pull(ctx, 2, 4, &future), RB_OK);
  EXPECT_EQ(rb_done(ctx, future), 0);
  EXPECT_EQ(rb_done(ctx, 0), 1);
  EXPECT_EQ(rb_await(ctx, future, &range, 1, -1), RB_OK);
  expectCall("await 9");
  EXPECT_EQ(rb_ready(ctx, RB_COMM, 0, &range, 0, 8, 0.5), RB_OK);
  expectCall("ready 0 8 of 12");
  EXPECT_EQ(rb_push(ctx, 2, 11, &range, 1), RB_OK);
  expectCall("push 11");
  int64_t who = 0;
  EXPECT_EQ(rb_collect(ctx, 2, 2, 0, &range, 1, &who), RB_OK);
  EXPECT_EQ(who, 6);
  EXPECT_EQ(rb_grant(ctx, 2, 1, 0, 3, &range, 1), RB_OK);
  expectCall("grant to all");
  EXPECT_EQ(rb_close(ctx, 2), RB_OK);
  int32_t flag = 0;
  EXPECT_EQ(rb_meet(ctx, 0, &flag), RB_OK);
  EXPECT_EQ(flag, 1);
  EXPECT_EQ(rb_commit(ctx, 3, 4, &flag), RB_OK);
  EXPECT_EQ(flag, 0);
}

TEST_F(ProgramAbi, SaysWhatTheEnvironmentSaid) {
  auto told = [&](Status status) {
    environment.answer = std::move(status);
    return rb_await(ctx, 0, nullptr, 0, -1);
  };
  EXPECT_EQ(told(Status::ok()), RB_OK);
  EXPECT_EQ(told(again("peer 2 is gone")), RB_AGAIN);
  EXPECT_EQ(lastError(ctx).message(), "peer 2 is gone");
  EXPECT_EQ(told({ErrorCode::Communication, "lost"}), RB_PEER_LOST);
  EXPECT_EQ(told(Status::user("no file")), RB_DATA);
  EXPECT_EQ(told({ErrorCode::Internal, "bug"}), RB_INVALID);
  EXPECT_EQ(told({ErrorCode::Numeric, "nan"}), RB_INVALID);
}

TEST_F(ProgramAbi, AsksWithTypes) {
  uint64_t inputs[] = {uint64_t(-3), std::bit_cast<uint64_t>(0.25), 9},
           answers[3];
  environment.answers = {true, 1.5, int64_t(-7)};
  EXPECT_EQ(rb_ask(ctx, 0, 0, inputs, 3, answers, 3), RB_OK);
  expectCall("ask 0 0 of 3");
  EXPECT_EQ(answers[0], 1u);
  EXPECT_EQ(std::bit_cast<double>(answers[1]), 1.5);
  EXPECT_EQ(int64_t(answers[2]), -7);
  environment.answers = {1.0, 1.5, int64_t(1)};
  expectInvalid(rb_ask(ctx, 0, 0, inputs, 3, answers, 3), "other types");
  expectInvalid(rb_ask(ctx, 1, 0, inputs, 3, answers, 3), "no policy 1");
  expectInvalid(rb_ask(ctx, 0, 1, inputs, 3, answers, 3), "no entry 1");
  expectInvalid(rb_ask(ctx, 0, 0, inputs, 2, answers, 3), "with 2 values");
  expectInvalid(rb_ask(ctx, 0, 0, inputs, 3, answers, -1), "-1 answers");
}

TEST_F(ProgramAbi, FillsBatches) {
  environment.batch = 3;
  environment.first = 40;
  EXPECT_EQ(rb_batch(ctx, RB_BATCH_QUEUE, 0, nullptr, 0), RB_OK);
  expectCall("batch 1");
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(scratch.ids[i], 40 + i);
    EXPECT_EQ(scratch.x[i][1], points.x[size_t(2 * (40 + i) + 1)]);
    EXPECT_EQ(scratch.y[i], points.y[size_t(40 + i)]);
    EXPECT_EQ(scratch.weights[i], 1);
  }
  EXPECT_EQ(scratch.ids[3], -1);
  EXPECT_EQ(scratch.weights[3], 0);
  EXPECT_EQ(scratch.x[3][0], 0);
  auto next = [&] { return rb_batch(ctx, RB_BATCH_CURSOR, -1, nullptr, 0); };
  EXPECT_EQ(next(), RB_OK);
  expectCall("batch 0");
  environment.first = 48; // of 50
  expectInvalid(next(), "row 50 is not in a data set of 50");
  // Nobody will read it: the buffers stay as they are.
  scratch.ids[0] = 7;
  environment.batch = -1;
  EXPECT_EQ(next(), RB_OK);
  EXPECT_EQ(scratch.ids[0], 7);
  environment.answer = Status::user("labels.npy: row 3 is damaged");
  EXPECT_EQ(next(), RB_DATA);
  EXPECT_EQ(lastError(ctx).message(), "labels.npy: row 3 is damaged");
}

TEST_F(ProgramAbi, RefusesWhatDoesNotExist) {
  int64_t future = 0, keys[] = {1, 2, 3};
  int32_t flag = 0;
  expectInvalid(rb_lock(ctx, 1, "w"), "rank 1: there is no lock 1");
  expectInvalid(rb_unlock(ctx, -1), "there is no lock -1");
  expectInvalid(rb_meet(ctx, 1, &flag), "no rendezvous 1");
  expectInvalid(rb_all_reduce(ctx, 3, &range, 1, &future), "no channel 3");
  expectInvalid(rb_all_reduce(ctx, 1, &range, 1, &future),
                "'grads' is no collective");
  expectInvalid(rb_exchange(ctx, 0, 2, 0, &range, 1, &future), "is no pair");
  expectInvalid(rb_exchange(ctx, 1, 1, 0, &range, 1, &future),
                "exchanges with rank 1");
  expectInvalid(rb_exchange(ctx, 1, 3, 0, &range, 1, &future),
                "another of 3 members");
  expectInvalid(rb_pull(ctx, 0, 0, &future), "is no mailbox");
  EXPECT_EQ(rb_workers(ctx, 0), 0);
  for (rb_range bad :
       {rb_range{RB_PRIVATE, RB_F32, -4, 1}, rb_range{RB_PRIVATE, RB_F32, 2, 1},
        rb_range{RB_PRIVATE, RB_F32, 0, -1}, rb_range{RB_PRIVATE, 9, 0, 1},
        rb_range{-1, RB_F32, 0, 1}, rb_range{RB_FIRST_VALUE, RB_F32, 0, 1},
        rb_range{RB_SCRATCH, RB_I64, int64_t(sizeof(HandScratch)), 1},
        rb_range{RB_PRIVATE, RB_F64, 0, INT64_MAX}}) {
    expectInvalid(rb_await(ctx, 0, &bad, 1, -1), "value 0 is not a range");
    expectInvalid(rb_push(ctx, 2, 0, &bad, 1), "rb_push: value 0");
  }
  expectInvalid(rb_batch(ctx, 6, -1, nullptr, 0), "no such source");
  expectInvalid(rb_batch(ctx, RB_BATCH_WHOLE, -1, nullptr, 0), "0 keys");
  expectInvalid(rb_batch(ctx, RB_BATCH_QUEUE, 3, nullptr, 0), "no channel 3");
  expectInvalid(rb_batch(ctx, RB_BATCH_RANGE, -1, keys, 1), "1 keys");
  expectInvalid(rb_batch(ctx, RB_BATCH_QUEUE, -1, keys, 2), "2 keys");
  expectInvalid(rb_batch(ctx, RB_BATCH_KEYED, -1, keys, 0), "0 keys");
  expectInvalid(rb_record(ctx, RB_COMM, 0), "record of event 0");
  auto ready = [&](int32_t channel, int64_t from, int64_t to) {
    return rb_ready(ctx, RB_COMM, channel, &range, from, to, 0.5);
  };
  expectInvalid(ready(1, 0, 4), "is no collective");
  expectInvalid(ready(0, -4, 4), "rb_ready: bytes -4 to 4");
  expectInvalid(ready(0, 4, 4), "bytes 4 to 4 of an operand of 12");
  expectInvalid(ready(0, 0, 16), "bytes 0 to 16");
  expectInvalid(rb_arrive(ctx, RB_COMM, RB_FIRST_VALUE, 0, 0), "no value 0");
  int32_t done = 0;
  expectInvalid(rb_poll(ctx, 1, -1, &done), "-1 bodies cannot be unfinished");
  EXPECT_TRUE(environment.calls.empty());
}

/// On a device that is done when a call returns, nobody runs ahead.
TEST_F(ProgramAbi, PollAsksAsDone) {
  EXPECT_EQ(rb_body(ctx), RB_OK);
  for (int64_t future : {0, 3}) {
    int32_t done = -1;
    EXPECT_EQ(rb_poll(ctx, future, 0, &done), RB_OK);
    EXPECT_EQ(done, future == 0);
    EXPECT_EQ(done, rb_done(ctx, future));
  }
}

TEST_F(ProgramAbi, LaunchesAndReads) {
  rb_kernel kernel =
      handKernel("fill", [](void *const *args, int64_t lo, int64_t hi, void *) {
        for (int64_t i = lo; i < hi; ++i)
          static_cast<float *>(args[0])[i] = float(i);
      });
  void *args[] = {memory.w};
  EXPECT_EQ(rb_launch(ctx, RB_COMPUTE, &kernel, args, 1, 3, nullptr, 0), RB_OK);
  float w[3];
  EXPECT_EQ(rb_read(ctx, RB_PRIVATE, 0, w, sizeof w), RB_OK);
  EXPECT_EQ(w[0], 0);
  EXPECT_EQ(w[2], 2);
}

} // namespace
