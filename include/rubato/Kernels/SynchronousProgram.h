// Which programs of gsync native code can be made from.
#ifndef RUBATO_KERNELS_SYNCHRONOUSPROGRAM_H
#define RUBATO_KERNELS_SYNCHRONOUSPROGRAM_H

#include "mlir/IR/BuiltinOps.h"

namespace rubato {

/// Kernels and schedules are made from the synchronous program: one role, one
/// strand that carries nothing, counted loops, one reduction that is awaited in
/// the round. Anything else is sound but unsupported: the error names the first
/// operation that is too much and says what to do.
llvm::LogicalResult checkSynchronous(mlir::ModuleOp module,
                                     llvm::StringRef stage);

} // namespace rubato

#endif // RUBATO_KERNELS_SYNCHRONOUSPROGRAM_H
