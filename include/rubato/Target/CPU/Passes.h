// Passes and pipelines of the CPU target.
#ifndef RUBATO_TARGET_CPU_PASSES_H
#define RUBATO_TARGET_CPU_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace rubato {

#define GEN_PASS_DECL
#include "rubato/Target/CPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "rubato/Target/CPU/Passes.h.inc"

/// Kernels in tensor form or in memref form, and whatever host functions stand
/// beside them, to the LLVM dialect.
void buildKernelsToLLVMPipeline(mlir::OpPassManager &pm);

/// Lets the emitters take the kernels that they know, from linalg on tensors
/// to vector loops; the others stay for buildKernelsToLLVMPipeline.
void buildEmitKernelsPipeline(mlir::OpPassManager &pm);

/// Makes the pipelines known to tools as `cpu-kernels-to-llvm` and
/// `cpu-emit-kernels`.
void registerCPUPipelines();

} // namespace rubato

#endif // RUBATO_TARGET_CPU_PASSES_H
