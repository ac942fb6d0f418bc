// Passes of the kernels stage.
#ifndef RUBATO_KERNELS_PASSES_H
#define RUBATO_KERNELS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace rubato {

#define GEN_PASS_DECL
#include "rubato/Kernels/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "rubato/Kernels/Passes.h.inc"

} // namespace rubato

#endif // RUBATO_KERNELS_PASSES_H
