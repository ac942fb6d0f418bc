// Cuts a flat vector into buckets, in readiness order.
#ifndef RUBATO_LIB_SCHEDULE_BUCKETS_H
#define RUBATO_LIB_SCHEDULE_BUCKETS_H

#include "dialects/nn/Nn.h"

namespace rubato {

/// A slice of the flat vector, in elements. A slot that lies on a border
/// belongs to two buckets.
struct BucketRange {
  int64_t offset, count;
};

/// Closes a bucket when it holds at least `bytes`. A model with two slots or
/// more gets two buckets or more, else nothing could overlap. A bucket ends at
/// a multiple of 64 elements, at or before the end of its last slot, unless it
/// is smaller than that.
llvm::SmallVector<BucketRange> cutBuckets(nn::LayoutOp layout, int64_t bytes);

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_BUCKETS_H
