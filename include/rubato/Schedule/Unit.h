// The compiled unit: what an object file exports to the runtime.
#ifndef RUBATO_SCHEDULE_UNIT_H
#define RUBATO_SCHEDULE_UNIT_H

#include "mlir/IR/BuiltinOps.h"

namespace rubato {

/// How many events the runtime must provide. After `convert-sched-to-llvm` the
/// answer is the same: the pass leaves it on the module.
int64_t countEvents(mlir::ModuleOp module);

/// Leaves the number on the module for later `countEvents`.
void setEvents(mlir::ModuleOp module, int64_t count);

/// The programs that the runtime finds, by their names.
struct UnitPrograms {
  /// Of all parts of all roles, in the order of the unit's table of functions:
  /// role by role, each from its init to its model.
  llvm::SmallVector<std::string> functions;
  std::string gradient = "gradient", evaluate = "evaluate";
};

/// As the unit of a module of the schedule stage names them.
UnitPrograms unitPrograms(mlir::ModuleOp module);

/// Adds the exported constant `rubato_unit` (an `rb_unit`) to a module that
/// has been through `convert-sched-to-llvm`. `manifest` is the JSON text of
/// docs/unit.md; the safetensors blob is the external symbol `rubato_weights`
/// of `weightsSize` bytes; `programs` are what `unitPrograms` said of the
/// module when it was scheduled; null where the module has none of the name.
mlir::LogicalResult emitUnit(mlir::ModuleOp module, llvm::StringRef manifest,
                             const UnitPrograms &programs,
                             uint64_t weightsSize);

} // namespace rubato

#endif // RUBATO_SCHEDULE_UNIT_H
