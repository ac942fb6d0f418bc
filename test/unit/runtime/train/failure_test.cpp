// What ./train does when something goes wrong.
#include "train/program.h"

#include <gtest/gtest.h>
#include <limits>
#include <poll.h>

using namespace rubato;
using namespace rubato::test;

namespace {

struct FailureTest : testing::Test {
  void TearDown() override { handHook = nullptr; }
  Program program;
};

TEST_F(FailureTest, KilledWorkerEndsTheGroup) {
  for (int64_t victim : {0, 1, 2}) {
    static int64_t who;
    who = victim;
    handHook = [](rb_ctx *ctx, int64_t round) {
      if (rb_rank(ctx) == who && round == 3)
        raise(SIGKILL);
    };
    Outcome outcome = program.train(
        {"--workers", "3", "--save", program.folder.file("m.onnx")});
    EXPECT_EQ(outcome.code, 4);
    EXPECT_TRUE(has(outcome.err, "error: worker of rank " +
                                     std::to_string(victim) +
                                     " was killed by signal 9 (Killed); "))
        << outcome.err;
    int64_t first = victim == 0, second = victim == 2 ? 1 : 2;
    // One of the two may still have been on its way out of the round before.
    const std::string in = " waited for it in all_reduce on @grads \\(round ";
    std::string together = "ranks " + std::to_string(first) + ", " +
                           std::to_string(second) + in + "3\\); ",
                apart = "rank " + std::to_string(first) + in +
                        "[23]\\), rank " + std::to_string(second) + in +
                        "[23]\\); ";
    EXPECT_TRUE(matches(outcome.err, "; (" + together + "|" + apart +
                                         ")the others were ended; "))
        << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(program.folder.file("m.onnx")));
  }
}

TEST_F(FailureTest, WorkerThatExitsEndsTheGroup) {
  handHook = [](rb_ctx *ctx, int64_t round) {
    if (rb_rank(ctx) == 1 && round == 2)
      _exit(0);
  };
  Outcome outcome = program.train({"--workers", "2"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_TRUE(has(outcome.err, "rank 1 ended by itself with code 0"))
      << outcome.err;
}

TEST_F(FailureTest, WorkerThatIgnoresTheAbortIsKilled) {
  handHook = [](rb_ctx *ctx, int64_t round) {
    if (round != 2)
      return;
    if (rb_rank(ctx) == 1)
      _exit(9);
    if (rb_rank(ctx) == 2)
      while (true)
        pause();
  };
  Outcome outcome = program.train({"--workers", "3"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_TRUE(has(outcome.err, "rank 1 ended by itself with code 9; rank 0 "
                               "waited for it in all_reduce on @grads (round "
                               "2); the others were ended, rank 2 by force "
                               "after 3 s"))
      << outcome.err;
}

TEST_F(FailureTest, StalledWorkerPassesTheDeadline) {
  handHook = [](rb_ctx *ctx, int64_t round) {
    if (rb_rank(ctx) == 1 && round == 2)
      while (true)
        pause();
  };
  Outcome outcome = program.train({"--workers", "2", "--deadline", "0.3"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_TRUE(has(outcome.err, "error: rank 0: worker.round, round 2: rank 0: "
                               "all-reduce 3 on channel 'grads': rank 1 did "
                               "not answer before the deadline"))
      << outcome.err;
}

TEST_F(FailureTest, NotANumberIsItsOwnExitCode) {
  handHook = [](rb_ctx *ctx, int64_t round) {
    if (round == 15)
      handPrivate(ctx).w[0] = std::numeric_limits<float>::quiet_NaN();
  };
  for (const char *workers : {"1", "3"}) {
    Outcome outcome =
        program.train({"--workers", workers, "--epochs", "9", "--lr", "0.125",
                       "--save", program.folder.file("m.onnx")});
    EXPECT_EQ(outcome.code, 5);
    EXPECT_TRUE(has(outcome.err, "worker.round, round 15: the loss is not a "
                                 "number with learning rate 0.125; try a "
                                 "smaller --lr"))
        << outcome.err;
    EXPECT_EQ(outcome.err.find("error:"), outcome.err.rfind("error:"));
    EXPECT_FALSE(std::filesystem::exists(program.folder.file("m.onnx")));
  }
}

TEST_F(FailureTest, DivergenceIsFoundToo) {
  Outcome outcome = program.train({"--epochs", "500", "--lr", "1000"});
  EXPECT_EQ(outcome.code, 5) << outcome.err;
}

TEST_F(FailureTest, SignalStopsAtARoundAndSaves) {
  for (int signal : {SIGINT, SIGTERM})
    for (const char *workers : {"1", "3"}) {
      static int sent;
      static bool alone;
      sent = signal;
      alone = workers[0] == '1';
      handHook = [](rb_ctx *ctx, int64_t round) {
        if (rb_rank(ctx) == 0 && round == 20)
          kill(alone ? getpid() : getppid(), sent);
      };
      Outcome outcome =
          program.train({"--workers", workers, "--epochs", "100000000",
                         "--save", program.folder.file("m.onnx")});
      EXPECT_EQ(outcome.code, 128 + signal) << outcome.err;
      EXPECT_TRUE(has(outcome.err, "the model was saved")) << outcome.err;
      EXPECT_TRUE(std::filesystem::exists(program.folder.file("m.onnx")));
      std::filesystem::remove(program.folder.file("m.onnx"));
    }
}

/// A terminal sends Ctrl-C to every process of the group.
TEST_F(FailureTest, SignalToEveryProcessStopsOnce) {
  handHook = [](rb_ctx *ctx, int64_t round) {
    if (rb_rank(ctx) == 0 && round == 1)
      kill(0, SIGINT);
  };
  pid_t pid = fork();
  if (pid == 0) {
    setpgid(0, 0);
    // The test process in between is in the group as well, and ignores it.
    signal(SIGINT, SIG_IGN);
    Outcome outcome =
        program.train({"--workers", "3", "--epochs", "100000000"});
    _exit(outcome.code == 128 + SIGINT ? 0 : 1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(FailureTest, NoWorkerOutlivesAKilledLauncher) {
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
  Outcome outcome = program.train({"--workers", "3"});
  EXPECT_EQ(outcome.code, 1000 + SIGKILL);
  // The pipe ends when the last holder of the writing end is gone.
  close(ends[1]);
  pollfd wait = {ends[0], POLLIN, 0};
  EXPECT_EQ(poll(&wait, 1, 10000), 1) << "a worker is left";
  close(ends[0]);
}

TEST_F(FailureTest, BadDataIsRefusedBeforeTheFirstRound) {
  Outcome missing =
      program.run({"--input", "none.npy", "--label", program.labels});
  EXPECT_EQ(missing.code, 1);
  EXPECT_TRUE(has(missing.err, "none.npy: cannot open")) << missing.err;

  Outcome large = program.train({"--global-batch", "64"});
  EXPECT_EQ(large.code, 1);
  EXPECT_TRUE(has(large.err, "64 samples, but the data set has 50"))
      << large.err;

  Outcome odd = program.train({"--global-batch", "10", "--workers", "2"});
  EXPECT_EQ(odd.code, 2);
  EXPECT_TRUE(has(odd.err, "try 8 or 16")) << odd.err;

  Outcome folder = program.train({"--save", program.folder.path});
  EXPECT_EQ(folder.code, 1);
  EXPECT_TRUE(has(folder.err, "is a folder")) << folder.err;

  Outcome nowhere =
      program.train({"--metrics", program.folder.file("none/m.jsonl")});
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_TRUE(has(nowhere.err, "does it exist?")) << nowhere.err;
}

} // namespace
