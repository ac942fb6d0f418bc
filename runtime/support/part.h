// Values on their way: typed runs of numbers in somebody's memory.
#pragma once

#include "support/block.h"
#include "support/dtype.h"
#include "support/lane.h"
#include "support/status.h"

#include <cstdint>
#include <span>
#include <vector>

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
  /// Not null: it lies in memory of a device, out of the host's reach, and is
  /// read and written in order with this lane.
  Lane *lane = nullptr;
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

/// Its bytes where the host can read them: in place, or in `copy`; then it
/// waits for the lane.
Status bytesOnHost(const Part &part, std::vector<char> &copy,
                   const char *&bytes);

/// The one number of an i64 part.
Status numberIn(const Part &part, int64_t &number);

} // namespace rubato
