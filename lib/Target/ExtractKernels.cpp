// Kernels to a module of their own.
#include "rubato/Target/ExtractKernels.h"

#include "rubato/Kernels/KernelFacts.h"
#include "rubato/Support/KernelType.h"
#include "rubato/Support/Stage.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

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
    declaration->setAttr(rubato::kCostAttr,
                         b.getI64IntegerAttr(iterationsOf(function)));
    function->moveBefore(kernels->getBody(), kernels->getBody()->end());
  }
  return kernels;
}
