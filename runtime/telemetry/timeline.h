// When each lane did what: time stamps in a ring, written out as a Chrome
// trace (chrome://tracing, Perfetto).
#pragma once

#include "abi/rubato_abi.h"
#include "support/status.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace rubato {

/// The latest spans of every lane. A lane has one writer; writing takes no
/// lock and allocates nothing. Read it while the lanes are idle.
class Timeline {
public:
  /// Keeps the last `capacity` spans of each lane. A worker has the lanes of
  /// the ABI, a member of a program one for each strand.
  explicit Timeline(size_t capacity = 1 << 16,
                    std::vector<std::string> names = {"compute", "comm"});

  /// Nanoseconds of the monotonic clock, the same in every process.
  static int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  /// `name` lives as long as the timeline; `index` below 0 is not shown.
  void add(int lane, const char *name, int64_t index, int64_t begin,
           int64_t end) noexcept {
    Ring &ring = rings[static_cast<size_t>(lane)];
    uint64_t count = ring.count.load(std::memory_order_relaxed);
    ring.spans[count % ring.spans.size()] = {name, index, begin, end};
    ring.count.store(count + 1, std::memory_order_release);
  }

  /// One process of the trace per rank, one thread of it per lane.
  Status writeChromeTrace(const std::string &path, int rank) const;

private:
  struct Span {
    const char *name = nullptr;
    int64_t index = -1, begin = 0, end = 0;
  };
  struct alignas(64) Ring {
    std::vector<Span> spans;
    std::atomic<uint64_t> count{0}; // of spans ever added
  };
  std::vector<std::string> names;
  std::vector<Ring> rings; // one for each name
};

} // namespace rubato
