// Launches that compute a flat vector index by index, and may therefore be cut
// where the vector is cut.
#ifndef RUBATO_LIB_SCHEDULE_FLATLAUNCHES_H
#define RUBATO_LIB_SCHEDULE_FLATLAUNCHES_H

#include "Buckets.h"

#include "rubato/Schedule/SegmentOrder.h"

namespace rubato {

/// Whether `launch` computes all of `elements` indices, one by one, so that the
/// part [lo, hi) of it reads and writes nothing but the parts [lo, hi) of what
/// has as many elements, and small things whole.
bool isFlat(sched::LaunchOp launch, int64_t elements);

/// Moves the flat launches of a segment behind those others that they do not
/// depend on, so that they stand together as far as they can.
void gatherFlat(sched::SegmentOp segment, int64_t elements,
                const BufferTable &buffers);

/// The first launch of the row at the end of `segment` that consists of flat
/// launches only; null if there is none. What one of them writes, no other
/// touches but index by index.
sched::LaunchOp flatEnd(sched::SegmentOp segment, int64_t elements,
                        const BufferTable &buffers);

/// Replaces the row from `first` to the end of its segment by one such row for
/// each bucket. `around` is called before and after the row of each bucket,
/// with a builder at that place.
void cutByBucket(
    sched::LaunchOp first, int64_t elements,
    llvm::ArrayRef<BucketRange> buckets,
    llvm::function_ref<void(mlir::OpBuilder &, unsigned bucket, bool after)>
        around);

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_FLATLAUNCHES_H
