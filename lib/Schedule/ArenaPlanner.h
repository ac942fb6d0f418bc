// Places values with known lifetimes into as few bytes as it can.
#ifndef RUBATO_LIB_SCHEDULE_ARENAPLANNER_H
#define RUBATO_LIB_SCHEDULE_ARENAPLANNER_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace rubato {

/// Where buffers begin, in every region: what the pickiest device asks for.
inline constexpr int64_t kArenaAlignment = 256;

inline int64_t alignUp(int64_t bytes, int64_t to = kArenaAlignment) {
  return (bytes + to - 1) / to * to;
}

/// A value that lives from step `first` to step `last`, both included.
struct ArenaRequest {
  int64_t bytes, first, last;
  int64_t offset = 0; // the answer
};

/// Gives every request an aligned offset such that requests that are alive at
/// the same step do not overlap; returns the bytes used. Large requests are
/// placed first, each at the lowest offset that is free over its lifetime.
int64_t planArena(llvm::MutableArrayRef<ArenaRequest> requests);

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_ARENAPLANNER_H
