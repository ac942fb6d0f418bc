// With one worker, a round allocates nothing and makes no system call.
#include "../common/sample_unit.h"

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

void addOne(void *const *args, int64_t lo, int64_t hi) {
  for (int64_t i = lo; i < hi; ++i)
    static_cast<float *>(args[0])[i] += 1;
}
const rb_kernel addOneKernel = {"add-one", addOne};

/// What a compiled round does, with every function of the ABI in it.
int32_t sampleRound(rb_ctx *ctx, int32_t *go) {
  void *args[] = {rb_regions(ctx)[RB_SHARED]};
  rb_access access = {RB_SHARED, RB_READ | RB_WRITE, 0, 24};
  rb_range in = {RB_SHARED, RB_F32, 0, 6}, out = {RB_RESULT, RB_F32, 0, 6};
  int64_t seen = rb_members(ctx) + rb_rank(ctx) + rb_quanta(ctx);
  int32_t bad =
      beginRound(ctx) | rb_next_batch(ctx) |
      rb_launch(ctx, RB_COMPUTE, &addOneKernel, args, 0, 6, &access, 1) |
      rb_record(ctx, RB_COMPUTE, 0) | rb_wait(ctx, RB_COMM, 0) |
      rb_collective(ctx, RB_COMM, RB_ALL_REDUCE_SUM, 0, 0, &in, 1, &out, 1, 0) |
      rb_record(ctx, RB_COMM, 1) | rb_wait(ctx, RB_COMPUTE, 1) |
      rb_future_await(ctx, 0) | rb_write(ctx, RB_PRIVATE, 128, &seen, 8) |
      rb_read(ctx, RB_PRIVATE, 128, &seen, 8);
  *go = rb_query(ctx, 1) && rb_future_done(ctx, 0) && !rb_stop_requested(ctx);
  return bad;
}

/// Runs rounds; the number that went wrong.
int failedRounds(SampleWorker &worker, int rounds) {
  int failed = 0;
  for (int i = 0; i < rounds; ++i) {
    int32_t go = 0;
    if (worker.unit.code->round(worker.context, &go) != RB_OK || !go)
      ++failed;
  }
  return failed;
}

TEST(SteadyState, AllocatesNothing) {
  SampleUnit code(sampleRound);
  std::unique_ptr<Group> group;
  ASSERT_TRUE(Group::create(1, 128, 128, group));
  SampleWorker worker(code, *group);
  ASSERT_TRUE(worker.start);
  int64_t before = allocations.load();
  free(malloc(1));
  ASSERT_EQ(allocations.load(), before + 1) << "the counter does not count";
  int failed = failedRounds(worker, 100);
  EXPECT_EQ(allocations.load(), before + 1);
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(*worker.at<float>(RB_RESULT, 0), 100);
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

TEST(SteadyState, MakesNoSystemCall) {
  int caught = statusWithoutSystemCalls([] { return int(getppid() == 0); });
  if (WIFEXITED(caught))
    GTEST_SKIP() << "this kernel does not filter system calls";
  SampleUnit code(sampleRound);
  std::unique_ptr<Group> group;
  ASSERT_TRUE(Group::create(1, 128, 128, group));
  SampleWorker worker(code, *group);
  ASSERT_TRUE(worker.start);
  int status =
      statusWithoutSystemCalls([&] { return failedRounds(worker, 100); });
  ASSERT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

} // namespace

#endif // RUBATO_SANITIZED
