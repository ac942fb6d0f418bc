// Sleeping on a word of memory, with a deadline, in one process or across
// several; and the rule for how long to spin before sleeping.
#pragma once

#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>

namespace rubato {

using Deadline = std::chrono::steady_clock::time_point;

/// Who may sleep on a word: threads of this process, or of any process that
/// maps the memory.
enum class FutexScope { Process, Shared };

/// Sleeps while `*word == expected`, until woken or until `deadline`; false
/// when the deadline has passed. May return early: the caller checks again.
bool futexWait(const void *word, uint32_t expected, Deadline deadline,
               FutexScope scope);

/// Wakes every sleeper on `word`.
void futexWakeAll(const void *word, FutexScope scope);

/// The low 32 bits of a 64-bit word, for the functions above. A change of the
/// high half alone wakes nobody.
inline const void *lowHalf(const std::atomic<uint64_t> &word) {
  static_assert(sizeof(word) == 8 &&
                std::atomic<uint64_t>::is_always_lock_free);
  const char *bytes = reinterpret_cast<const char *>(&word);
  return bytes + (std::endian::native == std::endian::little ? 0 : 4);
}

/// CPUs this process may run on.
int allowedCpus();

/// Turns of a spin loop before sleeping. Spinning pays only when every member
/// has a core of its own; otherwise it takes the core from whom it waits for.
inline int spinTurns(int members) { return members <= allowedCpus() ? 500 : 0; }

/// One turn of a spin loop.
inline void spinPause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

} // namespace rubato
