// What a member is doing that needs others, in memory that forked processes
// share: a message about a death can say who was left waiting, and in what.
#pragma once

#include "environment/environment.h"

#include <atomic>
#include <cstdint>

namespace rubato {

/// Written by one strand, read by the launcher once the strand has ended or
/// its process was killed.
struct WaitNote {
  std::atomic<Call> what{Call::None};
  std::atomic<int32_t> index{-1}; // of the channel, policy or rendezvous
  std::atomic<int32_t> peer{-1};  // of an exchange
  std::atomic<int64_t> round{0};

  void set(Call now, int32_t of, int32_t with, int64_t inRound) {
    index.store(of, std::memory_order_relaxed);
    peer.store(with, std::memory_order_relaxed);
    round.store(inRound, std::memory_order_relaxed);
    what.store(now, std::memory_order_release);
  }
  void clear() { what.store(Call::None, std::memory_order_release); }

  static_assert(std::atomic<Call>::is_always_lock_free);
};

/// Notes what `call` does while it runs. What failed for good stays noted: it
/// is what the member did last.
template <typename Fn>
auto noted(WaitNote &note, Call what, int index, int peer, int64_t round,
           Fn call) {
  note.set(what, index, peer, round);
  auto status = call();
  if (status || isAgain(status))
    note.clear();
  return status;
}

} // namespace rubato
