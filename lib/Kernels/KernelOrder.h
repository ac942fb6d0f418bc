// In which order kernels and the operations around them stand.
#ifndef RUBATO_LIB_KERNELS_KERNELORDER_H
#define RUBATO_LIB_KERNELS_KERNELORDER_H

#include "KernelGroups.h"

#include "mlir/Support/LLVM.h"

namespace rubato {

/// A kernel to be, or an operation that stays: a view, a call, a gsync
/// operation, the terminator.
struct KernelItem {
  KernelGroup *group = nullptr;
  mlir::Operation *op = nullptr;
};

/// Orders what becomes of a block: by the first operation of each item, each
/// as early as its operands allow, so that gradients are ready early.
/// Operations with effects keep their order.
mlir::FailureOr<llvm::SmallVector<KernelItem>>
orderItems(mlir::Block &block, const KernelGroups &groups);

} // namespace rubato

#endif // RUBATO_LIB_KERNELS_KERNELORDER_H
