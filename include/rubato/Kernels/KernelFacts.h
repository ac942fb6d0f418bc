// How far a kernel can be split; see docs/kernels.md.
#ifndef RUBATO_KERNELS_KERNELEXTENT_H
#define RUBATO_KERNELS_KERNELEXTENT_H

#include "rubato/Support/Stage.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace rubato {

/// The extent as nn-to-linalg wrote it down.
inline constexpr llvm::StringLiteral kExtentAttr = "rubato.extent";

/// The number of parts into which a launch of `kernel` may be split: the size
/// of dimension 0 of its results if they are computed index by index, else 1.
/// Asks the attribute first, so the answer stays the same from kernel
/// formation (nn, arith) through linalg to memref form.
int64_t kernelExtent(mlir::func::FuncOp kernel);

} // namespace rubato

#endif // RUBATO_KERNELS_KERNELEXTENT_H
