// Kernels to a module of their own.
#include "rubato/Target/ExtractKernels.h"

#include "rubato/Support/Stage.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

/// The type of an rb_kernel_fn.
static LLVM::LLVMFunctionType kernelType(MLIRContext *context) {
  auto i64 = IntegerType::get(context, 64);
  return LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(context),
      {LLVM::LLVMPointerType::get(context), i64, i64});
}

OwningOpRef<ModuleOp> rubato::extractKernels(ModuleOp module) {
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(module.getLoc());
  module.getContext()->loadDialect<LLVM::LLVMDialect>();
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (!function->hasAttr(rubato::kKernelAttr))
      continue;
    OpBuilder b(function);
    auto declaration =
        LLVM::LLVMFuncOp::create(b, function.getLoc(), function.getSymName(),
                                 kernelType(module.getContext()));
    declaration->setAttr(rubato::kKernelAttr,
                         function->getAttr(rubato::kKernelAttr));
    function->moveBefore(kernels->getBody(), kernels->getBody()->end());
  }
  return kernels;
}
