// In the steady state of one worker, a round allocates nothing and asks the
// kernel for nothing.
#include "train/program.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <new>
#include <sys/prctl.h>
#include <sys/syscall.h>

static std::atomic<int64_t> allocations;

#ifndef RUBATO_SANITIZED // sanitizers allocate and call the kernel themselves
void *operator new(size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  std::abort();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
#endif

using namespace rubato;
using namespace rubato::test;

namespace {

constexpr int64_t warm = 20, last = 500;

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

struct SteadyTest : testing::Test {
  void SetUp() override {
#ifdef RUBATO_SANITIZED
    GTEST_SKIP() << "not under a sanitizer";
#endif
  }
  void TearDown() override { handHook = nullptr; }
  Program program;
};

TEST_F(SteadyTest, RoundDoesNotAllocate) {
  handHook = [](rb_ctx *, int64_t round) {
    static int64_t before;
    if (round == warm)
      before = allocations;
    if (round == last)
      _exit(allocations == before ? 42 : 43);
  };
  EXPECT_EQ(program.train({"--epochs", "1000"}).code, 42);
}

TEST_F(SteadyTest, RoundMakesNoSystemCall) {
  handHook = [](rb_ctx *, int64_t round) {
    // Epochs end with a printed line, so the data set has one long epoch.
    if (round == warm && !forbidSystemCalls())
      syscall(SYS_exit_group, 77);
    if (round == last)
      syscall(SYS_exit_group, 42);
  };
  Program large(10000);
  Outcome outcome = large.train({});
  if (outcome.code == 77)
    GTEST_SKIP() << "no seccomp here";
  EXPECT_EQ(outcome.code, 42);
}

} // namespace
