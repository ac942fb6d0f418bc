// Passes and pipelines of the CPU target.
#ifndef RUBATO_TARGET_CPU_PASSES_H
#define RUBATO_TARGET_CPU_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/Pass.h"

namespace rubato {

#define GEN_PASS_DECL
#include "rubato/Target/CPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "rubato/Target/CPU/Passes.h.inc"

/// Kernels in tensor form or in memref form, and whatever host functions stand
/// beside them, to the LLVM dialect.
void buildKernelsToLLVMPipeline(mlir::OpPassManager &pm);

/// Moves the kernels of `module` to a module of their own and leaves a
/// declaration of the C form of each behind. Host code can then take their
/// addresses (llvm.mlir.addressof), and both modules can be compiled apart.
mlir::OwningOpRef<mlir::ModuleOp> extractKernels(mlir::ModuleOp module);

/// Makes the pipeline known to tools as `cpu-kernels-to-llvm`.
void registerCPUPipelines();

} // namespace rubato

#endif // RUBATO_TARGET_CPU_PASSES_H
