// The barrier's word: see barrier.h. All its operations are sequentially
// consistent: `word` and `sleepers` are each written by one side and read by
// the other to decide on a sleep and a wake-up.
#include "fabric/barrier.h"

namespace rubato {

uint64_t Barrier::encode(Verdict why) {
  return abortBit | uint64_t(why.status) << statusShift |
         uint64_t(why.rank + 1) << rankShift;
}

Verdict Barrier::verdict() const {
  uint64_t value = word.load();
  return {static_cast<rb_status>(value >> statusShift & statusMask),
          static_cast<int>(value >> rankShift & rankMask) - 1};
}

Barrier::Outcome Barrier::arrive(int members, int spins,
                                 std::atomic<uint32_t> &arrived,
                                 Deadline deadline) {
  uint64_t seen = word.load();
  uint32_t generation = generationOf(seen);
  uint32_t next = (generation + 1) & generationMask;
  arrived.store(next, std::memory_order_relaxed);
  // The generation cannot move before this member has arrived, so only
  // arrivals of others and an abort make the exchange fail.
  for (;;) {
    if (seen & abortBit)
      return Outcome::Aborted;
    uint64_t arrivals = (seen >> arrivalShift & arrivalMask) + 1;
    bool last = arrivals == static_cast<uint64_t>(members);
    uint64_t after =
        last ? uint64_t(next) : generation | arrivals << arrivalShift;
    if (!word.compare_exchange_weak(seen, after))
      continue;
    if (!last)
      break;
    if (sleepers.load() > 0)
      futexWakeAll(lowHalf(word), FutexScope::Shared);
    return Outcome::Passed;
  }

  for (;;) {
    seen = word.load();
    if (generationOf(seen) != generation)
      return Outcome::Passed; // even if aborted since: this one was passed
    if (seen & abortBit)
      return Outcome::Aborted;
    if (spins > 0) {
      --spins;
      spinPause();
      continue;
    }
    sleepers.fetch_add(1);
    bool inTime =
        futexWait(lowHalf(word), generation, deadline, FutexScope::Shared);
    sleepers.fetch_sub(1);
    if (!inTime)
      return Outcome::TimedOut;
  }
}

Barrier::Outcome Barrier::expire(uint32_t arrived, Verdict why) noexcept {
  uint64_t seen = word.load();
  // A late arrival may still win against the clock; the word decides.
  for (;;) {
    if (generationOf(seen) == arrived)
      return Outcome::Passed;
    if (seen & abortBit)
      return Outcome::Aborted;
    if (word.compare_exchange_weak(seen, seen | encode(why)))
      break;
  }
  futexWakeAll(lowHalf(word), FutexScope::Shared);
  return Outcome::TimedOut;
}

void Barrier::abort(Verdict why) noexcept {
  uint64_t seen = word.load();
  while (!(seen & abortBit) &&
         !word.compare_exchange_weak(seen, seen | encode(why)))
    ;
  futexWakeAll(lowHalf(word), FutexScope::Shared);
}

} // namespace rubato
