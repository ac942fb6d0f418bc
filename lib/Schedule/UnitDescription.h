// What the runtime must know of a unit, as far as only the scheduler knows it:
// which buffer holds what, and what the program declares. What follows from the
// code is added by describe-unit.
#ifndef RUBATO_LIB_SCHEDULE_UNITDESCRIPTION_H
#define RUBATO_LIB_SCHEDULE_UNITDESCRIPTION_H

#include "Placement.h"
#include "ProgramPlaces.h"

namespace rubato {

/// Cells, batch, results, roles and channels of a program, in a block that
/// belongs at the beginning of the module once the program is gone.
std::unique_ptr<mlir::Block> describeProgram(mlir::ModuleOp module,
                                             ProgramPlaces &places);

/// Moves what it wrote to the beginning of the module.
void placeEntries(mlir::ModuleOp module, mlir::Block &entries);

/// The parts of all roles, in the order of the manifest: "worker.init", ….
llvm::SmallVector<std::pair<mlir::Operation *, std::string>>
partsOf(mlir::ModuleOp module);

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_UNITDESCRIPTION_H
