// With one member, a round allocates nothing and makes no system call.
#include "common/hand_kernel.h"
#include "program/course.h"

#include <cstddef>
#include <cstdlib>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <new>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace rubato;
using namespace rubato::test;

#ifndef RUBATO_SANITIZED

static std::atomic<int64_t> allocations{0};

// Sanitizers bring their own malloc; everywhere else ours counts.
extern "C" void *__libc_malloc(size_t);
extern "C" void *__libc_calloc(size_t, size_t);
extern "C" void *__libc_realloc(void *, size_t);
extern "C" void *malloc(size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
extern "C" void *calloc(size_t count, size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, size);
}
extern "C" void *realloc(void *old, size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(old, size);
}

namespace {

/// Large enough that a value is sent as a block.
constexpr int64_t steadyCount = 4096,
                  steadyBytes = steadyCount * int64_t{sizeof(float)};
constexpr int32_t ownValue = RB_FIRST_VALUE, sumValue = RB_FIRST_VALUE + 1;

void addOne(void *const *args, int64_t lo, int64_t hi, void *) {
  for (int64_t i = lo; i < hi; ++i)
    static_cast<float *>(args[0])[i] += 1;
}
const rb_kernel addOneKernel = handKernel("add-one", addOne);

/// What a compiled round does, with every function of the ABI in it that a
/// member without others needs.
int32_t steadyRound(rb_ctx *ctx, int32_t *go) {
  static const int32_t values[] = {ownValue};
  static const rb_segment_info segment = {"worker.round.0", values, 1, 1};
  HandPrivate &p = handPrivate(ctx);
  rb_range in = {ownValue, RB_F32, 0, steadyCount},
           out = {sumValue, RB_F32, 0, steadyCount};
  rb_range numbers = {RB_PRIVATE, RB_I64, offsetof(HandPrivate, version), 1};
  rb_range ins[] = {in, numbers}, outs[] = {out, numbers};
  rb_access access = {ownValue, RB_READ | RB_WRITE, 0, steadyBytes};
  p.version = rb_members(ctx) + rb_rank(ctx) + rb_quanta(ctx);
  int64_t future = 0;
  int32_t replayed = 0;
  int32_t bad =
      rb_batch(ctx, RB_BATCH_CURSOR, -1, nullptr, 0) |
      rb_work(ctx, "gradient", 1) | rb_segment_begin(ctx, &segment, &replayed) |
      rb_renew(ctx, ownValue, 0) | rb_clear(ctx, ownValue, 0, steadyBytes);
  void *args[] = {rb_regions(ctx)[ownValue]};
  bad |= rb_launch(ctx, RB_COMPUTE, &addOneKernel, args, 0, steadyCount,
                   &access, 1) |
         rb_record(ctx, RB_COMPUTE, 0) | rb_wait(ctx, RB_COMM, 0) |
         rb_ready(ctx, RB_COMM, 0, &in, 0, steadyBytes / 2, 0.5) |
         rb_ready(ctx, RB_COMM, 0, &in, steadyBytes / 2, steadyBytes, 1) |
         rb_segment_end(ctx) | rb_work(ctx, "gradient", 0) |
         rb_computed(ctx, 4, 0.5) | rb_repeated(ctx, 1) |
         rb_all_reduce(ctx, 0, ins, 2, &future) |
         rb_await(ctx, future, outs, 2, steadyBytes / 2) |
         rb_arrive(ctx, RB_COMM, sumValue, steadyBytes, 0) |
         rb_record(ctx, RB_COMM, 1) | rb_wait(ctx, RB_COMPUTE, 1) |
         rb_lock(ctx, 0, "w seen");
  p.w[0] += static_cast<float *>(rb_regions(ctx)[sumValue])[steadyCount - 1];
  ++p.rounds;
  bad |= rb_unlock(ctx, 0) | rb_drop(ctx, sumValue) | rb_drop(ctx, ownValue);
  *go = !rb_stop_requested(ctx);
  return bad;
}

nlohmann::json steadyManifest() {
  nlohmann::json manifest = syncManifest();
  manifest["values"] = {steadyBytes, steadyBytes};
  manifest["events"] = 2;
  manifest["program"]["channels"][0]["bytes"] = steadyBytes + 8;
  return manifest;
}

/// One member as a launcher without --fabric has it.
struct Steady : testing::Test {
  Steady()
      : unit(steadyManifest(),
             {{"worker.round", steadyRound}, syncFunctions()[1]}) {
    Course::shared = true;
    Course::tune = [](RealSetup &setup) {
      static RoundBoard board;
      setup.rounds = &board;
    };
    course = std::make_unique<Course>(unit.code, 1, int64_t(1) << 40, 10000);
    Course::shared = false;
    Course::tune = nullptr;
  }

  /// Runs rounds; the number that went wrong.
  int failedRounds(int rounds) {
    int failed = 0;
    for (int i = 0; i < rounds; ++i) {
      bool go = false;
      if (!course->crew[0]->round(0, go) || !go)
        ++failed;
    }
    return failed;
  }

  HandUnit unit;
  std::unique_ptr<Course> course;
};

TEST_F(Steady, RoundAllocatesNothing) {
  ASSERT_EQ(failedRounds(10), 0); // buffers find their size
  int64_t before = allocations.load();
  free(malloc(1));
  ASSERT_EQ(allocations.load(), before + 1) << "the counter does not count";
  int failed = failedRounds(100);
  EXPECT_EQ(allocations.load(), before + 1);
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(course->memoryOf(0).w[0], 110.25f);
}

/// From here on every system call but the end kills the process.
bool forbidSystemCalls() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
  sock_fprog filter = {4, program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/// The exit status of a child that runs `body` without system calls.
template <typename Body> int statusWithoutSystemCalls(Body body) {
  constexpr int cannotForbid = 99;
  pid_t child = fork();
  if (child == 0) {
    if (!forbidSystemCalls())
      syscall(SYS_exit_group, cannotForbid);
    syscall(SYS_exit_group, body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST_F(Steady, RoundMakesNoSystemCall) {
  int caught = statusWithoutSystemCalls([] { return int(getppid() == 0); });
  if (WIFEXITED(caught))
    GTEST_SKIP() << "this kernel does not filter system calls";
  ASSERT_EQ(failedRounds(10), 0);
  int status = statusWithoutSystemCalls([&] { return failedRounds(100); });
  ASSERT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

} // namespace

#endif // RUBATO_SANITIZED
