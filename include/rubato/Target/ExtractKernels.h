// Kernels leave the module of the host, so that a target can compile them.
#ifndef RUBATO_TARGET_EXTRACTKERNELS_H
#define RUBATO_TARGET_EXTRACTKERNELS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace rubato {

/// Moves the kernels of `module` to a module of their own and leaves a
/// declaration of the C form of each behind. Host code can then take their
/// addresses (llvm.mlir.addressof), and both modules can be compiled apart.
mlir::OwningOpRef<mlir::ModuleOp> extractKernels(mlir::ModuleOp module);

} // namespace rubato

#endif // RUBATO_TARGET_EXTRACTKERNELS_H
