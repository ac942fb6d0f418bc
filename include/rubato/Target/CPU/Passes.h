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

/// Makes the pipeline known to tools as `cpu-kernels-to-llvm`.
void registerCPUPipelines();

} // namespace rubato

#endif // RUBATO_TARGET_CPU_PASSES_H
