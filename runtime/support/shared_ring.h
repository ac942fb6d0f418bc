// A queue from one process, or thread, to another, in memory that both share.
#pragma once

#include <atomic>
#include <cstdint>

namespace rubato {

/// One writer and one reader; neither waits.
template <typename T, int64_t room> class SharedRing {
public:
  /// False: the reader has not taken the oldest one yet.
  bool put(const T &item) {
    int64_t at = written.load(std::memory_order_relaxed);
    if (at - taken.load(std::memory_order_acquire) == room)
      return false;
    items[at % room] = item;
    written.store(at + 1, std::memory_order_release);
    return true;
  }

  /// The oldest one, which stays; null: there is none.
  const T *front() const {
    int64_t at = taken.load(std::memory_order_relaxed);
    return at == written.load(std::memory_order_acquire) ? nullptr
                                                         : &items[at % room];
  }
  void pop() {
    taken.store(taken.load(std::memory_order_relaxed) + 1,
                std::memory_order_release);
  }

  /// False: there is nothing new.
  bool take(T &item) {
    const T *oldest = front();
    if (!oldest)
      return false;
    item = *oldest;
    pop();
    return true;
  }

private:
  std::atomic<int64_t> written{0}, taken{0};
  T items[room];
};

} // namespace rubato
