// What becomes of a program's run when something goes wrong.
#include "train/program.h"

#include <gtest/gtest.h>
#include <limits>
#include <poll.h>

using namespace rubato;
using namespace rubato::test;

namespace {

struct ProgramFailure : testing::Test {
  ProgramFailure() { setenv("XDG_RUNTIME_DIR", runtime.path.c_str(), 1); }
  ~ProgramFailure() override { unsetenv("XDG_RUNTIME_DIR"); }
  void TearDown() override {
    handHook = nullptr;
    EXPECT_TRUE(std::filesystem::is_empty(runtime.path))
        << "something is left behind";
  }
  Folder runtime; // where sockets are made
};

TEST_F(ProgramFailure, KilledMemberEndsTheRun) {
  handHook = [](rb_ctx *ctx, int64_t round) {
    if (rb_rank(ctx) == 1 && round == 3)
      raise(SIGKILL);
  };
  // Who waited, in what: in the round of the death or one beside it.
  const std::string all = "ranks 0, 2 waited for it in all_reduce on @grads "
                          "\\(round [234]\\); ",
                    // One of the two may have met the abort in the other round.
      each = "rank 0 waited for it in all_reduce on @grads \\(round [234]\\), "
             "rank 2 waited for it in all_reduce on @grads \\(round [234]\\); ";
  const std::pair<const rb_unit *, std::string> cases[] = {
      {&delayedUnit(0), "(" + all + "|" + each + ")"},
      {&delayedUnit(1), "(" + all + "|" + each + ")"},
      // Who exchanges with whom is a matter of chance.
      {&gossipUnit(int64_t(1) << 40),
       "(waited for it in exchange on @gossip|nobody waited for it yet: rank"
       ".* in (exchange|meet|ask))"},
      // The server may also meet the abort where it waits for nobody, and the
      // other workers where they wait for the server.
      {&mailboxUnit(),
       "; (rank 0 waited for it in collect on @ps \\(round [0-9]+\\)|nobody "
       "waited for it yet: rank 0 was in grant on @ps \\(round [0-9]+\\)"
       "(, ranks? [0-9, ]+ (was|were) in pull on @ps \\(round [0-9]+\\))*); "}};
  for (const auto &[unit, waits] : cases) {
    Program program(50, *unit);
    Outcome outcome = program.train({"--workers", "3", "--epochs", "1000000",
                                     "--save", program.folder.file("m.onnx")});
    EXPECT_EQ(outcome.code, 4) << outcome.err;
    EXPECT_TRUE(has(outcome.err, "error: worker of rank 1 was killed by "
                                 "signal 9 (Killed)"))
        << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(program.folder.file("m.onnx")));
    EXPECT_TRUE(matches(outcome.err, waits)) << outcome.err;
    // All ended by themselves, before the launcher's patience did.
    EXPECT_TRUE(has(outcome.err, "; the others were ended; ")) << outcome.err;
  }
}

TEST_F(ProgramFailure, AServerThatIsGoneEndsTheRun) {
  handHook = [](rb_ctx *ctx, int64_t round) {
    if (rb_rank(ctx) == 0 && round == 3)
      raise(SIGKILL);
  };
  Program program(50, mailboxUnit());
  Outcome outcome = program.train({"--workers", "2", "--epochs", "1000000"});
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "worker of rank 0 was killed")) << outcome.err;
  EXPECT_TRUE(matches(outcome.err, "ranks? [12].* waited for it in p(ull|ush) "
                                   "on @ps .*; the others were ended; "))
      << outcome.err;
}

TEST_F(ProgramFailure, NotANumberIsItsOwnExitCode) {
  handHook = [](rb_ctx *ctx, int64_t round) {
    if (rb_rank(ctx) == 1 && round == 5)
      handPrivate(ctx).w[0] = std::numeric_limits<float>::quiet_NaN();
  };
  for (const char *fabric : {"threads", "processes"}) {
    for (const rb_unit *unit :
         {&delayedUnit(0), &gossipUnit(int64_t(1) << 40)}) {
      Program program(50, *unit);
      Outcome outcome = program.train(
          {"--workers", "3", "--epochs", "1000000", "--fabric", fabric});
      EXPECT_EQ(outcome.code, 5) << outcome.err;
      EXPECT_TRUE(has(outcome.err, "the loss is not a number")) << outcome.err;
    }
  }
}

TEST_F(ProgramFailure, AStalledMemberPassesTheDeadline) {
  handHook = [](rb_ctx *ctx, int64_t round) {
    if (rb_rank(ctx) == 1 && round == 3)
      while (true)
        pause();
  };
  Program program(50, delayedUnit());
  Outcome outcome = program.train(
      {"--workers", "2", "--epochs", "1000000", "--deadline", "0.3"});
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "rank 0: worker.round, round ")) << outcome.err;
}

TEST_F(ProgramFailure, SignalStopsAndSaves) {
  handHook = [](rb_ctx *ctx, int64_t round) {
    if (rb_rank(ctx) == 1 && round == 20)
      kill(getppid(), SIGINT);
  };
  for (const rb_unit *unit :
       {&delayedUnit(1), &gossipUnit(int64_t(1) << 40), &mailboxUnit()}) {
    Program program(50, *unit);
    Outcome outcome = program.train({"--workers", "3", "--epochs", "1000000000",
                                     "--save", program.folder.file("m.onnx")});
    EXPECT_EQ(outcome.code, 128 + SIGINT) << outcome.err;
    EXPECT_TRUE(has(outcome.err, "the model was saved")) << outcome.err;
    EXPECT_TRUE(std::filesystem::exists(program.folder.file("m.onnx")));
  }
}

TEST_F(ProgramFailure, SecondSignalEndsAtOnce) {
  // Nobody answers the first: all members hang.
  handHook = [](rb_ctx *ctx, int64_t round) {
    if (round != 2)
      return;
    if (rb_rank(ctx) == 0) {
      kill(getppid(), SIGINT);
      usleep(100'000);
      kill(getppid(), SIGINT);
    }
    alarm(30); // should it be left behind after all
    while (true)
      pause();
  };
  Program program(50, delayedUnit());
  Outcome outcome = program.train({"--workers", "2", "--epochs", "1000000"});
  EXPECT_EQ(outcome.code, 1000 + SIGINT);
}

TEST_F(ProgramFailure, NoMemberOutlivesAKilledLauncher) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  handHook = [](rb_ctx *ctx, int64_t round) {
    if (rb_rank(ctx) == 0 && round == 2)
      kill(getppid(), SIGKILL);
    if (round == 2) {
      alarm(30); // should it be left behind after all
      while (true)
        pause();
    }
  };
  Program program(50, gossipUnit(int64_t(1) << 40));
  Outcome outcome = program.train({"--workers", "3", "--epochs", "1000000"});
  EXPECT_EQ(outcome.code, 1000 + SIGKILL);
  close(ends[1]);
  pollfd wait = {ends[0], POLLIN, 0};
  EXPECT_EQ(poll(&wait, 1, 10000), 1) << "a member is left";
  close(ends[0]);
}

} // namespace
