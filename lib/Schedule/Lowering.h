// The two halves of convert-sched-to-llvm.
#ifndef RUBATO_LIB_SCHEDULE_LOWERING_H
#define RUBATO_LIB_SCHEDULE_LOWERING_H

#include "AbiBuilder.h"

#include "rubato/Schedule/SegmentOrder.h"

namespace rubato {

/// The name of the function a segment or a program becomes.
inline std::string segmentSymbol(llvm::StringRef name) {
  return ("segment." + name).str();
}
inline std::string programSymbol(llvm::StringRef name) {
  return ("program." + name).str();
}

/// Adds the function of `segment`. Its events are numbered from `nextEvent`,
/// which is moved on. Every kernel is in C form (`llvm.func`).
void lowerSegment(sched::SegmentOp segment, const BufferTable &buffers,
                  int32_t &nextEvent, AbiBuilder &abi);

/// Adds the function of `program`, whose body it takes. The functions of all
/// segments exist. Fails, with an error, on operations it cannot lower.
mlir::LogicalResult lowerProgram(sched::ProgramOp program,
                                 const BufferTable &buffers, AbiBuilder &abi);

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_LOWERING_H
