// Which values a segment writes, and whether it needs what they hold.
#ifndef RUBATO_LIB_SCHEDULE_SEGMENTVALUES_H
#define RUBATO_LIB_SCHEDULE_SEGMENTVALUES_H

#include "dialects/sched/Sched.h"

#include "llvm/ADT/MapVector.h"

#include <optional>

namespace rubato {

/// Bytes of a buffer that is a value; none of any other.
using ValueBytes = llvm::function_ref<std::optional<int64_t>(mlir::StringAttr)>;

/// The values that launches of `segment` write, in the order of the text.
/// True: the segment reads bytes that it has not written itself, or leaves
/// some unwritten, so that their content must be kept.
llvm::MapVector<mlir::StringAttr, bool> writtenValues(sched::SegmentOp segment,
                                                      ValueBytes bytesOf);

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_SEGMENTVALUES_H
