// A barrier in shared memory that can be aborted, with one truth about
// whether it was passed.
//
// Generation, arrivals, the abort bit and its reason are one 64-bit word. The
// last member to arrive advances the generation by compare-and-swap, which
// fails once the abort bit is set; so after an abort the generation never
// moves again, and all survivors agree on the last barrier that was passed.
// With the bit in a word of its own they would not: one could see the new
// generation and leave, another the abort and fail.
#pragma once

#include "abi/rubato_abi.h"
#include "support/futex.h"

#include <atomic>
#include <cstdint>

namespace rubato {

/// Why a group ended, and which member is to blame (-1: none).
struct Verdict {
  rb_status status = RB_OK;
  int rank = -1;
};

class Barrier {
public:
  static constexpr int maxMembers = 4096;

  enum class Outcome { Passed, Aborted, TimedOut };

  /// Arrives and waits for the other `members - 1`. `arrived`, readable by the
  /// others, gets the generation this member has arrived for: who is missing
  /// is the one whose mark is behind. After TimedOut, call expire().
  Outcome arrive(int members, int spins, std::atomic<uint32_t> &arrived,
                 Deadline deadline);

  /// Ends the barrier after a time-out at the generation marked in `arrived`,
  /// unless it was passed or aborted in the meantime.
  Outcome expire(uint32_t arrived, Verdict why) noexcept;

  /// Ends every wait, present and future; the first verdict stays.
  void abort(Verdict why) noexcept;

  /// RB_OK while the barrier has not ended.
  Verdict verdict() const;

private:
  // Low half: generation and abort bit, what a waiter sleeps on. High half:
  // arrivals, which must not wake anybody, and the verdict.
  static constexpr uint32_t generationMask = 0x7fffffff;
  static constexpr uint64_t abortBit = uint64_t(1) << 31;
  static constexpr int arrivalShift = 32, statusShift = 46, rankShift = 50;
  static constexpr uint64_t arrivalMask = 0x3fff, statusMask = 0xf,
                            rankMask = 0x3fff;

  static uint32_t generationOf(uint64_t value) {
    return static_cast<uint32_t>(value) & generationMask;
  }
  static uint64_t encode(Verdict why);

  alignas(64) std::atomic<uint64_t> word{0};
  /// Members asleep; saves the wake-up call when all of them spin. A member
  /// killed in its sleep stays counted, which costs a call and no more.
  alignas(64) std::atomic<uint32_t> sleepers{0};
};

} // namespace rubato
