// Schedules of programs with any number of roles and strands.
#ifndef RUBATO_LIB_SCHEDULE_SCHEDULEPROGRAM_H
#define RUBATO_LIB_SCHEDULE_SCHEDULEPROGRAM_H

#include "mlir/IR/BuiltinOps.h"

namespace rubato {

/// Turns every part of every role into a program over segments. The
/// synchronous round has a schedule of its own, which overlaps its reduction
/// with its last backward pass.
llvm::LogicalResult scheduleProgram(mlir::ModuleOp module);

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_SCHEDULEPROGRAM_H
