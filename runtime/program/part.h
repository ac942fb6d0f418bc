// Values on their way: typed runs of numbers in somebody's memory.
#pragma once

#include "support/dtype.h"

#include <cstdint>
#include <span>

namespace rubato {

/// `count` numbers of a message, a future's operands or its results.
struct Part {
  rb_dtype dtype = RB_F32;
  int64_t count = 0;
  void *data = nullptr;
};

using Parts = std::span<const Part>;

/// Bytes of a part, of all parts.
inline int64_t bytesOf(const Part &part) {
  return part.count * elementBytes(part.dtype);
}
inline int64_t bytesOf(Parts parts) {
  int64_t bytes = 0;
  for (const Part &part : parts)
    bytes += bytesOf(part);
  return bytes;
}

} // namespace rubato
