// Which programs of gsync are one synchronous round.
#ifndef RUBATO_KERNELS_SYNCHRONOUSPROGRAM_H
#define RUBATO_KERNELS_SYNCHRONOUSPROGRAM_H

#include "mlir/IR/BuiltinOps.h"

namespace rubato {

/// Whether a module of the kernels stage is the synchronous program: one role,
/// one strand that carries nothing, counted loops, one reduction that is
/// awaited in the round. Its reduction can overlap its last backward pass.
bool isSynchronous(mlir::ModuleOp module);

} // namespace rubato

#endif // RUBATO_KERNELS_SYNCHRONOUSPROGRAM_H
