// The futex system call with an absolute deadline on the monotonic clock.
#include "support/futex.h"

#include <cerrno>
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace rubato {

static int command(int operation, FutexScope scope) {
  return scope == FutexScope::Process ? operation | FUTEX_PRIVATE_FLAG
                                      : operation;
}

bool futexWait(const void *word, uint32_t expected, Deadline deadline,
               FutexScope scope) {
  // steady_clock is CLOCK_MONOTONIC, which FUTEX_WAIT_BITSET takes absolute.
  auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(
      deadline.time_since_epoch());
  int64_t nanoseconds = since.count() > 0 ? since.count() : 0;
  timespec until = {static_cast<time_t>(nanoseconds / 1000000000),
                    static_cast<long>(nanoseconds % 1000000000)};
  long result = syscall(SYS_futex, word, command(FUTEX_WAIT_BITSET, scope),
                        expected, &until, nullptr, FUTEX_BITSET_MATCH_ANY);
  return !(result == -1 && errno == ETIMEDOUT);
}

void futexWakeAll(const void *word, FutexScope scope) {
  syscall(SYS_futex, word, command(FUTEX_WAKE, scope), INT_MAX, nullptr,
          nullptr, 0);
}

int allowedCpus() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return CPU_COUNT(&set);
  // More than 1024 CPUs do not fit the fixed set; any group fits those.
  return 1024;
}

} // namespace rubato
