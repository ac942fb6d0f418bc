// What a recorder writes down, and what a replay makes of it.
#include "common/fake_environment.h"
#include "data/files.h"

#include "program/recording_environment.h"
#include "program/replaying_environment.h"

#include <gtest/gtest.h>

using namespace rubato;
using namespace rubato::test;

namespace {

/// Two workers with two strands each and a server, over all kinds of channels.
ProgramSpec makeProgram() {
  ProgramSpec program;
  RoleSpec server, worker;
  server.name = "server";
  server.count = 1;
  server.strands = {{"round", 0, false, false}};
  worker.name = "worker";
  worker.strands = {{"compute", 1, false, false}, {"gossip", 2, false, false}};
  program.roles = {server, worker};
  program.channels = {{"sums", "collective", "", 64, 0},
                      {"pairs", "pair", "", 64, 0},
                      {"mail", "mailbox", "server", 64, 0}};
  PolicySpec policy;
  policy.name = "rule";
  policy.entries = {{"next",
                     {policy::ValueType::F64},
                     {policy::ValueType::I64, policy::ValueType::F64,
                      policy::ValueType::I1}}};
  program.policies = {policy};
  program.locks = 1;
  return program;
}

/// A replay of streams that a test writes by hand.
struct Replaying : testing::Test {
  void event(int rank, int strand, Call operation, std::vector<int64_t> asked,
             std::vector<int64_t> answered = {}) {
    writeEvent(operation, asked, answered,
               streams[size_t(rank)][size_t(strand)]);
  }
  static int64_t sumOf(Parts parts) {
    int64_t sum = 0;
    EXPECT_TRUE(checksumOf(parts, sum));
    return sum;
  }
  /// An await or collect of one float.
  void gives(int rank, int strand, Call operation, std::vector<int64_t> asked,
             std::vector<int64_t> answered, float value) {
    answered.push_back(sumOf(Parts({part(value)})));
    event(rank, strand, operation, asked, answered);
  }
  static Part part(float &value) { return {RB_F32, 1, &value}; }
  static Part part(int64_t &value) { return {RB_I64, 1, &value}; }

  Environment &make() {
    for (int rank = 0; rank < 3; ++rank)
      for (int strand = 0; strand < (rank == 0 ? 2 : 3); ++strand)
        log.push_back({rank, strand, streams[size_t(rank)][size_t(strand)]});
    Status status = ReplayingEnvironment::make(
        {program, 3, log, nullptr, strands}, environment);
    EXPECT_TRUE(status) << status.message();
    return *environment;
  }
  void strand(std::function<Status()> body) {
    ASSERT_TRUE(strands.add(std::move(body)));
  }

  ProgramSpec program = makeProgram();
  std::string streams[3][3];
  std::vector<RunStream> log;
  ReplayingStrands strands;
  std::unique_ptr<ReplayingEnvironment> environment;
};

TEST_F(Replaying, LocksAreTakenInTheRecordedOrder) {
  event(1, 0, Call::Lock, {0}, {1});
  event(1, 1, Call::Lock, {0}, {0});
  event(1, 1, Call::Lock, {0}, {2});
  Environment &env = make();
  std::string trace;
  auto atomic = [&](int index, const char *name) {
    Caller who{1, index, 0};
    RB_TRY(env.lock(who, 0, ""));
    trace += name;
    return env.unlock(who, 0);
  };
  strand([&] { return atomic(0, "b"); });
  strand([&] {
    RB_TRY(atomic(1, "a"));
    return atomic(1, "c");
  });
  Status status = strands.run();
  EXPECT_TRUE(status) << status.message();
  EXPECT_EQ(trace, "abc");
  EXPECT_EQ(environment->events(), 3);
}

TEST_F(Replaying, ALockThatIsHeldIsNotGiven) {
  event(1, 0, Call::Lock, {0}, {0});
  event(1, 1, Call::Lock, {0}, {1});
  Environment &env = make();
  strand([&] { return env.lock({1, 0, 3}, 0, ""); });
  strand([&] { return env.lock({1, 1, 4}, 0, ""); });
  Status status = strands.run();
  EXPECT_EQ(status.message(),
            "the replay left the recorded course: everybody waits\n  rank 1, "
            "worker.gossip, round 4: lock 0 at turn 1, and it is turn 1");
}

TEST_F(Replaying, SumsAreInTheOrderOfRanks) {
  // In another order 1 would be lost.
  float ins[3] = {1e8f, -1e8f, 1}, outs[3] = {};
  for (int rank = 0; rank < 3; ++rank) {
    event(rank, 0, Call::AllReduce, {0});
    gives(rank, 0, Call::Await, {}, {0}, 1);
  }
  Environment &env = make();
  for (int rank = 2; rank >= 0; --rank)
    strand([&, rank] {
      FutureHandle future = 0;
      Part in = part(ins[rank]), out = part(outs[rank]);
      RB_TRY(
          env.start({rank, 0, 0}, {Call::AllReduce, 0, 0, {&in, 1}}, future));
      return env.await({rank, 0, 0}, future, {&out, 1}, -1);
    });
  Status status = strands.run();
  EXPECT_TRUE(status) << status.message();
  for (float out : outs)
    EXPECT_EQ(out, 1);
}

TEST_F(Replaying, PairsExchangeByTheirTags) {
  float outs[3] = {};
  for (int rank : {1, 2}) {
    event(rank, 1, Call::Exchange, {1, 3 - rank, 5});
    gives(rank, 1, Call::Await, {}, {0}, float(3 - rank));
  }
  Environment &env = make();
  for (int rank : {1, 2})
    strand([&, rank] {
      FutureHandle future = 0;
      float own = float(rank);
      Part in = part(own), out = part(outs[rank]);
      RB_TRY(env.exchange({rank, 1, 0}, {1, 3 - rank, 5, {&in, 1}}, future));
      own = 0; // it was copied
      return env.await({rank, 1, 0}, future, {&out, 1}, -1);
    });
  Status status = strands.run();
  EXPECT_TRUE(status) << status.message();
  EXPECT_EQ(outs[1], 2);
  EXPECT_EQ(outs[2], 1);
}

/// The server grants, collects from worker 2 alone although worker 1 pushes
/// first, and grants to it; worker 1 goes on with its first ticket.
TEST_F(Replaying, ACollectTakesWhomTheLogNames) {
  event(0, 0, Call::Grant, {2, 1, 0, 9});
  gives(0, 0, Call::Collect, {2, 1, 0}, {2}, 20);
  event(0, 0, Call::Grant, {2, 0, 2, 9});
  event(0, 0, Call::Close, {2});
  for (int rank : {1, 2}) {
    event(rank, 0, Call::Pull, {2, -1});
    float granted = 5;
    int64_t ticket = 1, go = 1;
    Part outs[3] = {part(granted), part(ticket), part(go)};
    event(rank, 0, Call::Await, {}, {0, 1, 1, sumOf(outs)});
    event(rank, 0, Call::Push, {2, 1});
  }
  Environment &env = make();
  float sum = 0;
  int64_t collected = 0;
  for (int rank : {1, 2})
    strand([&, rank] {
      FutureHandle future = 0;
      RB_TRY(env.pull({rank, 0, 0}, 2, -1, future));
      float model = 0;
      int64_t ticket = 0, go = 0;
      Part outs[3] = {part(model), part(ticket), part(go)};
      RB_TRY(env.await({rank, 0, 0}, future, outs, -1));
      EXPECT_EQ(model, 5);
      float own = float(10 * rank);
      Part in = part(own);
      return env.push({rank, 0, 0}, 2, ticket, {&in, 1});
    });
  strand([&] {
    float model = 5;
    Part in = part(model), out = part(sum);
    RB_TRY(env.grant({0, 0, 0}, 2, true, 0, 9, {&in, 1}));
    RB_TRY(env.collect({0, 0, 0}, 2, 1, false, {&out, 1}, collected));
    RB_TRY(env.grant({0, 0, 0}, 2, false, collected, 9, {&in, 1}));
    return env.close({0, 0, 0}, 2);
  });
  Status status = strands.run();
  EXPECT_TRUE(status) << status.message();
  EXPECT_EQ(sum, 20);
  EXPECT_EQ(collected, 2);
}

TEST_F(Replaying, OtherValuesAreFound) {
  gives(0, 0, Call::Await, {}, {0}, 1);
  Environment &env = make();
  float value = 3;
  strand([&] {
    Part out = part(value);
    return env.await({0, 0, 6}, 0, {&out, 1}, -1);
  });
  EXPECT_EQ(strands.run().message(),
            "rank 0, server.round, round 6: the replay left the recorded "
            "course: await brings other values than in the recorded run");
}

TEST_F(Replaying, AnotherOperationIsFound) {
  event(1, 0, Call::Push, {2, 7});
  event(1, 1, Call::Meet, {0}, {1});
  Environment &env = make();
  strand([&] { return env.push({1, 0, 17}, 2, 8, {}); });
  Status status = strands.run();
  EXPECT_EQ(status.code(), ErrorCode::Internal);
  EXPECT_EQ(status.message(),
            "rank 1, worker.compute, round 17: the replay left the recorded "
            "course: the log has push(channel 2, ticket 7), but the program "
            "asks for push(channel 2, ticket 8)");
  EXPECT_EQ(environment->checkEnd(1).message(),
            "rank 1, worker.compute, round 0: the replay left the recorded "
            "course: the log has push(channel 2, ticket 7), but the program "
            "has ended");
}

TEST_F(Replaying, WhatCannotFailHasTheNextCallFail) {
  event(2, 2, Call::Done, {}, {0});
  Environment &env = make();
  Caller who{2, 2, -2};
  EXPECT_EQ(env.now(who), env.now(who));
  bool met = false;
  Status status = env.meet(who, 0, met);
  EXPECT_EQ(status.message(),
            "rank 2, worker.drain: the replay left the recorded course: the "
            "log has done, but the program asks for now");
  EXPECT_EQ(environment->checkEnd(2).message(), status.message());
}

TEST_F(Replaying, AnEndedLogIsFound) {
  Environment &env = make();
  int64_t count = 0, rows[4];
  EXPECT_EQ(
      env.nextBatch({1, 0, 2}, {RB_BATCH_QUEUE, 0, {}}, rows, count).message(),
      "rank 1, worker.compute, round 2: the replay left the recorded "
      "course: the log has ended, but the program asks for "
      "next_batch(source 1, channel 0)");
}

TEST_F(Replaying, StreamsMustFitTheProgram) {
  log = {{0, 0, ""}};
  std::unique_ptr<ReplayingEnvironment> other;
  EXPECT_EQ(
      ReplayingEnvironment::make({program, 3, log, nullptr, strands}, other)
          .message(),
      "the run log has 1 of 8 strands; it is of another program, or "
      "damaged");
  log = {{3, 0, ""}};
  EXPECT_EQ(
      ReplayingEnvironment::make({program, 3, log, nullptr, strands}, other)
          .code(),
      ErrorCode::User);
}

/// Everything that needs no other member, asked of either environment.
std::vector<int64_t> questions(Environment &env, Caller who) {
  std::vector<int64_t> got;
  auto check = [&](Status status) { EXPECT_TRUE(status) << status.message(); };
  got.push_back(env.members(who));
  got.push_back(env.rank(who));
  got.push_back(int64_t(env.now(who) * 10));
  got.push_back(env.stopRequested(who));
  got.push_back(env.quanta(who));
  got.push_back(env.roundSamples(who));
  got.push_back(env.dataSamples(who));
  got.push_back(env.workers(who, 2));
  check(env.work(who, "gradient", true));
  env.computed(who, 4, 1);
  check(env.lock(who, 0, "w"));
  check(env.unlock(who, 0));
  bool met = false, ok = false;
  check(env.meet(who, 0, met));
  check(env.commit(who, 3, 4, ok));
  got.push_back(met);
  got.push_back(ok);
  got.push_back(env.done(who, 0));
  env.repeated(who, 5);
  std::vector<policy::Value> inputs = {0.5};
  std::vector<policy::Value> answers(3);
  check(env.ask(who, 0, 0, inputs, answers));
  got.push_back(std::get<int64_t>(answers[0]));
  got.push_back(int64_t(std::get<double>(answers[1])));
  got.push_back(std::get<bool>(answers[2]));
  int64_t rows[4] = {}, count = 0, keys[1] = {9};
  check(env.nextBatch(who, {RB_BATCH_KEYED, -1, keys}, rows, count));
  got.insert(got.end(), rows, rows + count);
  float zero = 1;
  Part out{RB_F32, 1, &zero};
  check(env.await(who, 0, {&out, 1}, -1));
  got.push_back(zero == 0);
  check(env.next(who, false));
  return got;
}

TEST_F(Replaying, WhatWasToldIsToldAgain) {
  Folder folder;
  FakeEnvironment fake;
  fake.batch = 3;
  fake.answers = {int64_t(-4), 2.0, true};
  std::unique_ptr<RecordingEnvironment> recorder;
  ASSERT_TRUE(RecordingEnvironment::make(
      {fake, folder.file("run.log"), 1, 2, 1}, recorder));
  Caller who{1, 1, 0};
  std::vector<int64_t> told = questions(*recorder, who);
  float flat[3] = {1, 2, 3};
  recorder->model(flat, sizeof flat);
  ASSERT_TRUE(recorder->finish());
  streams[1][1] = folder.read("run.log.part-1-1");
  streams[1][2] = folder.read("run.log.part-1-2");
  EXPECT_FALSE(streams[1][1].empty());
  make();
  std::vector<int64_t> again;
  strand([&] {
    again = questions(*environment, who);
    return Status::ok();
  });
  EXPECT_TRUE(strands.run());
  EXPECT_EQ(again, told);
  EXPECT_TRUE(environment->checkModel(1, flat, sizeof flat));
  EXPECT_TRUE(environment->checkEnd(1));
}

TEST_F(Replaying, AnotherModelIsFound) {
  float flat[2] = {1, 2};
  event(0, 1, Call::Model, {}, {3});
  make();
  EXPECT_EQ(environment->checkModel(0, flat, sizeof flat).message(),
            "rank 0, server.model: the replay left the recorded course: the "
            "parameters are not those of the recorded run");
}

TEST_F(Replaying, ARoundThatWasRunAgainIsRunAgain) {
  Folder folder;
  FakeEnvironment fake;
  fake.answer = again("the peer is gone");
  std::unique_ptr<RecordingEnvironment> recorder;
  ASSERT_TRUE(RecordingEnvironment::make(
      {fake, folder.file("run.log"), 1, 2, 1}, recorder));
  float value = 0;
  Part out = part(value);
  EXPECT_TRUE(isAgain(recorder->await({1, 0, 0}, 8, {&out, 1}, -1)));
  fake.answer = {ErrorCode::Communication, "lost"};
  EXPECT_FALSE(recorder->await({1, 0, 0}, 8, {&out, 1}, -1));
  ASSERT_TRUE(recorder->finish());
  event(1, 0, Call::Exchange, {1, 2, 5});
  streams[1][0] += folder.read("run.log.part-1-0");
  Environment &env = make();
  FutureHandle future = 0;
  EXPECT_TRUE(env.exchange({1, 0, 0}, {1, 2, 5, {&out, 1}}, future));
  EXPECT_TRUE(isAgain(env.await({1, 0, 0}, future, {&out, 1}, -1)));
  // What failed for good is not an event.
  EXPECT_TRUE(environment->checkEnd(1));
}

TEST(Recording, AFullDiskIsTold) {
  FakeEnvironment fake;
  Folder folder;
  std::unique_ptr<RecordingEnvironment> recorder;
  for (int strand = 0; strand < 2; ++strand)
    std::filesystem::create_symlink(
        "/dev/full", streamPath(folder.file("run.log"), 0, strand));
  ASSERT_TRUE(RecordingEnvironment::make(
      {fake, folder.file("run.log"), 0, 1, 0}, recorder));
  recorder->members({0, 0, 0});
  EXPECT_NE(recorder->finish().message().find("No space left on device"),
            std::string::npos);
  Status status = RecordingEnvironment::make(
      {fake, folder.file("no/run.log"), 0, 1, 0}, recorder);
  EXPECT_EQ(status.code(), ErrorCode::User);
}

} // namespace
