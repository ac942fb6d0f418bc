// The proof that nobody touches bytes which something in flight reads or
// brings, over all ways through a program.
#ifndef RUBATO_LIB_SCHEDULE_PROGRAMPROOF_H
#define RUBATO_LIB_SCHEDULE_PROGRAMPROOF_H

#include "dialects/sched/Sched.h"

#include "mlir/IR/BuiltinOps.h"

namespace rubato {

/// A broken rule: what to say at the second of two accesses, and at the first,
/// at the start or the await between which they stand.
struct ProgramViolation {
  mlir::Operation *op;
  std::string message;
  llvm::SmallVector<std::pair<mlir::Operation *, std::string>> notes = {};
};

/// Every rule of `sched-verify-programs` that a program of `module` breaks; one
/// for each operation. Relies on segments that `sched-verify-segments` accepts.
llvm::SmallVector<ProgramViolation> checkPrograms(mlir::ModuleOp module);

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_PROGRAMPROOF_H
