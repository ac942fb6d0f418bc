// Values on their way: typed runs of numbers in somebody's memory.
#pragma once

#include "support/block.h"
#include "support/dtype.h"

#include <cstdint>
#include <span>

namespace rubato {

/// `count` numbers of a message, a future's operands or its results.
struct Part {
  rb_dtype dtype = RB_F32;
  int64_t count = 0;
  void *data = nullptr;
  /// Its block, where the part is all of one and the environment keeps blocks:
  /// an operand's memory may be kept instead of a copy, and a result is brought
  /// by putting its block here.
  SharedBlock *block = nullptr;
};

using Parts = std::span<const Part>;

/// Where its numbers are: in the block that was brought, if there is one.
inline char *dataOf(const Part &part) {
  return part.block && *part.block ? (*part.block)->data
                                   : static_cast<char *>(part.data);
}

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
