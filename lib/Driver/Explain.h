// What `rubato compile --explain` says about a compilation.
#ifndef RUBATO_LIB_DRIVER_EXPLAIN_H
#define RUBATO_LIB_DRIVER_EXPLAIN_H

#include "rubato/Target/TargetModel.h"

namespace rubato {

/// The report on a module of the kernels or the schedule stage, one section
/// after the other; each says so too when there is nothing to say.
void explain(mlir::ModuleOp module, const TargetModel &target,
             const TargetOptions &options, llvm::raw_ostream &os);

} // namespace rubato

#endif // RUBATO_LIB_DRIVER_EXPLAIN_H
