// The way of kernels from tensors to the LLVM dialect.
#include "rubato/Target/CPU/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void rubato::buildKernelsToLLVMPipeline(OpPassManager &pm) {
  pm.addPass(createCPULowerReferenceKernelsPass());
  pm.addNestedPass<func::FuncOp>(createCPUApproximateMathPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(createCSEPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  // What has no LLVM intrinsic: only f64, f32 is approximated before.
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  ConvertFuncToLLVMPassOptions functions;
  functions.useBarePtrCallConv = true;
  pm.addPass(createConvertFuncToLLVMPass(functions));
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createCPUKernelAbiPass());
}

void rubato::buildEmitKernelsPipeline(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createCPUEmitContractionsPass());
  pm.addNestedPass<func::FuncOp>(createCPUEmitElementwisePass());
  pm.addNestedPass<func::FuncOp>(createCPUEmitReductionsPass());
  pm.addNestedPass<func::FuncOp>(createCPUEmitRowsPass());
}

void rubato::registerCPUPipelines() {
  PassPipelineRegistration<>("cpu-kernels-to-llvm",
                             "Kernels to the LLVM dialect, in their C form",
                             buildKernelsToLLVMPipeline);
  PassPipelineRegistration<>("cpu-emit-kernels",
                             "Known kernels to vector loops",
                             buildEmitKernelsPipeline);
}
