// Deadlocks and mistakes of a program are told, and leave nothing behind.
#include "sim/cost_table.h"
#include "sim/schedule.h"
#include "sim/simulation.h"
#include "support.h"

#include "quadratic.h"

using namespace rubato;
using namespace rubato::sim;
using namespace rubato::sim::test;

namespace {

/// Members of one role with a strand each, or two.
struct Cast {
  ProgramSpec spec;
  CostTable costs;
  std::unique_ptr<SimEnvironment> env;
  std::vector<MemberFunctions> members;

  explicit Cast(int count, int strands = 1) {
    RoleSpec role;
    role.name = "worker";
    for (int i = 0; i != strands; ++i)
      role.strands.push_back({"s" + std::to_string(i), i, false, false});
    spec.roles = {role};
    spec.channels = {{"all", "collective", "", 0, 0},
                     {"two", "pair", "", 0, 0}};
    spec.rendezvous = {{"turn", {"worker.s0", "worker.s1"}}};
    members.resize(static_cast<size_t>(count));
  }

  Status run() {
    SimSetup setup{.spec = spec};
    setup.members = static_cast<int>(members.size());
    setup.costs = &costs;
    setup.maxSteps = 1000;
    RB_TRY(SimEnvironment::make(setup, env));
    return Simulation(*env, members).run();
  }
  Status leave(const Caller &who) { return env->next(who, false); }
  Status reduce(const Caller &who, std::vector<double> &values) {
    Part part{RB_F64, static_cast<int64_t>(values.size()), values.data()};
    FutureHandle future = 0;
    RB_TRY(env->start(who, {Call::AllReduce, 0, 0, {&part, 1}}, future));
    return env->await(who, future, {&part, 1}, -1);
  }
};

bool contains(const Status &status, const std::string &text) {
  return status.message().find(text) != std::string::npos;
}

TEST(Failure, ADeadlockNamesEverybodyWhoWaits) {
  Cast cast(3);
  for (int rank = 0; rank != 2; ++rank)
    cast.members[static_cast<size_t>(rank)].strands = {[&cast, rank] {
      // Held across the wait: freed when the run is given up.
      std::vector<double> values(100, 1);
      return cast.reduce({rank, 0, 0}, values);
    }};
  cast.members[2].strands = {[&] { return cast.leave({2, 0, 0}); }};
  Status status = cast.run();
  EXPECT_EQ(status.code(), ErrorCode::User);
  EXPECT_EQ(status.message(),
            "deadlock: no strand can go on\n"
            "  rank 0, strand 0, round 0: await: number 0 on @all waits for "
            "rank 2 (which has ended)\n"
            "  rank 1, strand 0, round 0: await: number 0 on @all waits for "
            "rank 2 (which has ended)");
}

TEST(Failure, ADeadlockOfAPairAndAMeeting) {
  Cast cast(2, 2);
  auto exchange = [&cast](int rank, int64_t tag) -> Status {
    double mine = 1;
    Part values = part(mine);
    FutureHandle future = 0;
    Caller who{rank, 0, 0};
    RB_TRY(cast.env->exchange(who, {1, 1 - rank, tag, {&values, 1}}, future));
    return cast.env->await(who, future, {&values, 1}, -1);
  };
  for (int rank = 0; rank != 2; ++rank)
    cast.members[static_cast<size_t>(rank)].strands = {
        [&, rank] { return exchange(rank, rank); },
        [&cast, rank] {
          bool met = false;
          return cast.env->meet({rank, 1, 0}, 0, met);
        }};
  Status status = cast.run();
  EXPECT_TRUE(contains(status, "rank 0, strand 0, round 0: await: exchange "
                               "under tag 0 on @two waits for rank 1"))
      << status.message();
  EXPECT_TRUE(contains(status, "rank 1, strand 1, round 0: meet: waits for the "
                               "other strand"))
      << status.message();
}

TEST(Failure, AnErrorEndsTheRunForAll) {
  Cast cast(3);
  int64_t cameBack = 0;
  for (int rank = 0; rank != 3; ++rank)
    cast.members[static_cast<size_t>(rank)].strands = {
        [&cast, &cameBack, rank]() -> Status {
          if (rank == 2)
            return {ErrorCode::Numeric, "the loss is not finite"};
          std::vector<double> values(4);
          Status status = cast.reduce({rank, 0, 0}, values);
          EXPECT_FALSE(status);
          ++cameBack;
          // Whatever is asked now fails too, and nobody polls for ever.
          EXPECT_FALSE(cast.reduce({rank, 0, 0}, values));
          EXPECT_TRUE(cast.env->done({rank, 0, 0}, 99));
          return status;
        }};
  Status status = cast.run();
  EXPECT_EQ(status.code(), ErrorCode::Numeric);
  EXPECT_EQ(status.message(), "the loss is not finite");
  EXPECT_EQ(cameBack, 2);
}

TEST(Failure, CollectivesMustMatch) {
  Cast cast(2);
  for (int rank = 0; rank != 2; ++rank)
    cast.members[static_cast<size_t>(rank)].strands = {[&cast, rank] {
      std::vector<double> values(rank ? 3 : 4);
      return cast.reduce({rank, 0, 0}, values);
    }};
  Status status = cast.run();
  EXPECT_TRUE(contains(status, "all_reduce: is number 0 on @all with f64 x 3, "
                               "but rank 0 has all_reduce of f64 x 4"))
      << status.message();
}

TEST(Failure, AFutureIsAwaitedOnce) {
  Cast cast(1);
  cast.members[0].strands = {[&]() -> Status {
    double value = 1;
    Part values = part(value);
    FutureHandle future = 0;
    Caller who{0, 0, 0};
    RB_TRY(cast.env->start(who, {Call::AllReduce, 0, 0, {&values, 1}}, future));
    RB_TRY(cast.env->await(who, future, {&values, 1}, -1));
    EXPECT_TRUE(cast.env->done(who, future));
    // Another future in its place is not taken for it.
    FutureHandle other = 0;
    RB_TRY(cast.env->start(who, {Call::AllReduce, 0, 0, {&values, 1}}, other));
    EXPECT_NE(other, future);
    EXPECT_FALSE(cast.env->done(who, other));
    return cast.env->await(who, future, {&values, 1}, -1);
  }};
  EXPECT_TRUE(contains(cast.run(), "awaited twice"));
}

TEST(Failure, NobodyWaitsUnderALock) {
  Cast cast(1);
  cast.members[0].strands = {[&]() -> Status {
    Caller who{0, 0, 0};
    RB_TRY(cast.env->lock(who, 0, "w"));
    return cast.env->next(who, false);
  }};
  EXPECT_TRUE(contains(cast.run(), "nothing may be done that could wait"));
}

TEST(Failure, AStrandEndsAtABoundary) {
  Cast cast(1);
  cast.members[0].strands = {[] { return Status::ok(); }};
  EXPECT_TRUE(contains(cast.run(), "returned before its last boundary"));
}

TEST(Failure, AnEndlessRunIsGivenUp) {
  Cast cast(2);
  for (int rank = 0; rank != 2; ++rank)
    cast.members[static_cast<size_t>(rank)].strands = {
        [&cast, rank]() -> Status {
          for (int64_t round = 0;; ++round)
            RB_TRY(cast.env->next({rank, 0, round}, true));
        }};
  EXPECT_EQ(cast.run().message(),
            "not over after 1000 steps; limit the rounds, or allow more steps");
}

TEST(Failure, MeetingsEndWithTheOther) {
  Cast cast(1, 2);
  std::vector<bool> answers;
  cast.members[0].strands = {[&]() -> Status {
                               for (int64_t round = 0; round != 3; ++round) {
                                 bool met = false;
                                 RB_TRY(cast.env->meet({0, 0, round}, 0, met));
                                 answers.push_back(met);
                                 RB_TRY(
                                     cast.env->next({0, 0, round}, round != 2));
                               }
                               return Status::ok();
                             },
                             [&]() -> Status {
                               bool met = false;
                               RB_TRY(cast.env->meet({0, 1, 0}, 0, met));
                               return cast.env->next({0, 1, 0}, false);
                             }};
  ASSERT_OK(cast.run());
  EXPECT_EQ(answers, (std::vector<bool>{true, false, false}));
}

TEST(Failure, OneCanVoteARoundDown) {
  for (int64_t wrong : {0, 1}) {
    Cast cast(3);
    std::vector<bool> answers;
    for (int rank = 0; rank != 3; ++rank)
      cast.members[static_cast<size_t>(rank)].strands = {[&, rank]() -> Status {
        bool ok = false;
        Caller who{rank, 0, 0};
        RB_TRY(cast.env->commit(who, 7 + (rank == 1) * wrong, 7, ok));
        answers.push_back(ok);
        return cast.leave(who);
      }};
    ASSERT_OK(cast.run());
    EXPECT_EQ(answers, std::vector<bool>(3, wrong == 0));
  }
}

TEST(Failure, WhatArrivesComesBeforeWhatHappensThen) {
  Schedule schedule(64 * 1024);
  std::string trace;
  schedule.onArrival([&](int channel, int worker, int64_t) {
    trace += "arrival" + std::to_string(channel) + std::to_string(worker) + " ";
  });
  Strand strands[2];
  for (int i = 0; i != 2; ++i) {
    Strand &strand = strands[i];
    strand.rank = 1 - i;
    ASSERT_OK(schedule.start(strand, [&schedule, &strand, &trace] {
      std::string name = std::to_string(strand.rank) + " ";
      ASSERT_OK(schedule.step(strand, 5, /*poll=*/strand.rank == 0));
      trace += "first" + name;
      ASSERT_OK(schedule.step(strand, 7));
      trace += "second" + name;
    }));
  }
  schedule.send(7, 1, 0, 0);
  schedule.send(5, 1, 2, 0);
  schedule.send(5, 1, 1, 0);
  schedule.send(5, 0, 3, 0);
  ASSERT_OK(schedule.run([](Strand &) { return Status::ok(); }));
  // Polls last; then the lower rank.
  EXPECT_EQ(trace, "arrival03 arrival11 arrival12 first1 first0 arrival10 "
                   "second0 second1 ");
}

TEST(Failure, PartsRunInTheirOrder) {
  Cast cast(2);
  std::string trace;
  for (int rank = 0; rank != 2; ++rank) {
    MemberFunctions &functions = cast.members[static_cast<size_t>(rank)];
    auto say = [&trace, rank](const char *what) {
      trace += what + std::to_string(rank) + " ";
      return Status::ok();
    };
    functions.init = [=] { return say("init"); };
    functions.strands = {[=, &cast]() -> Status {
      RB_TRY(say("strand"));
      return cast.leave({rank, 0, 0});
    }};
    functions.drain = [=] { return say("drain"); };
  }
  ASSERT_OK(cast.run());
  EXPECT_EQ(trace, "init0 strand0 init1 strand1 drain0 drain1 ");
}

} // namespace
