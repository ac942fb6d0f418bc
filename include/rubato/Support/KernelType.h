// The type of an rb_kernel_fn: a kernel in C form (docs/kernels.md).
#ifndef RUBATO_SUPPORT_KERNELTYPE_H
#define RUBATO_SUPPORT_KERNELTYPE_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace rubato {

/// void(args, lo, hi, workspace)
inline mlir::LLVM::LLVMFunctionType kernelType(mlir::MLIRContext *context) {
  auto i64 = mlir::IntegerType::get(context, 64);
  auto pointer = mlir::LLVM::LLVMPointerType::get(context);
  return mlir::LLVM::LLVMFunctionType::get(
      mlir::LLVM::LLVMVoidType::get(context), {pointer, i64, i64, pointer});
}

} // namespace rubato

#endif // RUBATO_SUPPORT_KERNELTYPE_H
