// What the runtime must know of a unit, as far as only the scheduler knows it:
// which buffer holds what, and what the program declares. What follows from the
// code is added by describe-unit.
#ifndef RUBATO_LIB_SCHEDULE_UNITDESCRIPTION_H
#define RUBATO_LIB_SCHEDULE_UNITDESCRIPTION_H

#include "Placement.h"
#include "ProgramParts.h"
#include "ProgramPlaces.h"

namespace rubato {

/// Cells, batch, results and channels of a synchronous round, in a block that
/// belongs at the beginning of the module once the program is gone.
std::unique_ptr<mlir::Block> describeRound(mlir::ModuleOp module,
                                           ProgramParts &parts,
                                           const Placement &placement);

/// The same of a program with roles.
std::unique_ptr<mlir::Block> describeProgram(mlir::ModuleOp module,
                                             ProgramPlaces &places);

/// Moves what one of them wrote to the beginning of the module.
void placeEntries(mlir::ModuleOp module, mlir::Block &entries);

/// The parts of all roles, in the order of the manifest: "worker.init", ….
llvm::SmallVector<std::pair<mlir::Operation *, std::string>>
partsOf(mlir::ModuleOp module);

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_UNITDESCRIPTION_H
