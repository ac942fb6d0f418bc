// What the runtime must know of a unit: the body of its manifest.
#ifndef RUBATO_LIB_SCHEDULE_UNITDESCRIPTION_H
#define RUBATO_LIB_SCHEDULE_UNITDESCRIPTION_H

#include "Buckets.h"
#include "Placement.h"
#include "ProgramParts.h"

namespace rubato {

/// Module attribute of the schedule stage, in the manifest's vocabulary.
inline constexpr llvm::StringLiteral kUnitAttr = "rubato.unit";

/// Cells, batch, results, buckets: as docs/unit.md describes them.
mlir::DictionaryAttr describeUnit(mlir::ModuleOp module, ProgramParts &parts,
                                  const Placement &placement,
                                  llvm::ArrayRef<BucketRange> buckets);

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_UNITDESCRIPTION_H
