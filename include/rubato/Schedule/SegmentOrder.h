// The happens-before order of a segment, and what breaks its rules.
#ifndef RUBATO_SCHEDULE_SEGMENTORDER_H
#define RUBATO_SCHEDULE_SEGMENTORDER_H

#include "dialects/sched/Sched.h"

#include "llvm/ADT/DenseMap.h"

namespace rubato {

/// The buffers of a module by name.
using BufferTable = llvm::DenseMap<mlir::StringAttr, sched::BufferOp>;
/// Whether two operations of a segment touch the same bytes, and one writes.
bool conflict(sched::LaneOpInterface first, sched::LaneOpInterface second,
              const BufferTable &buffers);

BufferTable collectBuffers(mlir::ModuleOp module);

/// A broken rule: what to say at `op`, and at `other` if a second operation
/// is involved.
struct Violation {
  mlir::Operation *op;
  std::string message;
  mlir::Operation *other = nullptr;
  std::string note = {};
};

/// Every rule of `sched-verify-segments` that `segment` breaks, in the order
/// of the text; none means the segment is proved. The segment need not be in
/// a module.
llvm::SmallVector<Violation> checkSegment(sched::SegmentOp segment,
                                          const BufferTable &buffers);

/// Reports a violation as an error with a note.
void emitViolation(const Violation &violation);

} // namespace rubato

#endif // RUBATO_SCHEDULE_SEGMENTORDER_H
