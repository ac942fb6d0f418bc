// What the runtime must know of a unit: the body of its manifest.
#ifndef RUBATO_LIB_SCHEDULE_UNITDESCRIPTION_H
#define RUBATO_LIB_SCHEDULE_UNITDESCRIPTION_H

#include "Buckets.h"
#include "Placement.h"
#include "ProgramNumbers.h"
#include "ProgramParts.h"
#include "ProgramPlaces.h"

namespace rubato {

/// Module attribute of the schedule stage, in the manifest's vocabulary.
inline constexpr llvm::StringLiteral kUnitAttr = "rubato.unit";

/// Cells, batch, results, buckets: as docs/unit.md describes them.
mlir::DictionaryAttr describeUnit(mlir::ModuleOp module, ProgramParts &parts,
                                  const Placement &placement,
                                  llvm::ArrayRef<BucketRange> buckets);

/// The same of a program with roles; `functions` are its parts in the order of
/// the unit's table.
mlir::DictionaryAttr describeProgram(mlir::ModuleOp module,
                                     ProgramPlaces &places,
                                     const ProgramNumbers &numbers,
                                     llvm::ArrayRef<std::string> functions);

/// The parts of all roles, in the order of the manifest: "worker.init", ….
llvm::SmallVector<std::pair<mlir::Operation *, std::string>>
partsOf(mlir::ModuleOp module);

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_UNITDESCRIPTION_H
