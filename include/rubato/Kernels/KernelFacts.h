// What a kernel is, and what its launches may do with it; see docs/kernels.md.
#ifndef RUBATO_KERNELS_KERNELFACTS_H
#define RUBATO_KERNELS_KERNELFACTS_H

#include "dialects/nn/Nn.h"
#include "rubato/Support/Stage.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace rubato {

struct KernelFacts {
  nn::KernelKind kind = nn::KernelKind::Elementwise;
  /// The units into which a launch may be cut: it computes [lo, hi) of them.
  int64_t split = 1;
  /// Whether every element is read before the same element is written, so that
  /// a destination may be an operand of its size.
  bool indexByIndex = false;
  /// Bytes that a thread needs besides the arguments.
  int64_t workspace = 0;

  /// As form-kernels wrote them down, so that they stay the same from there to
  /// memref form; for a kernel that nobody described, what its body says.
  static KernelFacts of(mlir::func::FuncOp kernel);

  /// What the body of a kernel in tensor form says, in nn and in linalg alike.
  /// `obstacle` becomes the first operation that is not computed index by
  /// index, where there is one.
  static KernelFacts derive(mlir::func::FuncOp kernel,
                            mlir::Operation **obstacle = nullptr);

  nn::KernelAttr toAttribute(mlir::MLIRContext *context) const;
};

/// Iterations of all loops of a kernel: how much it computes.
int64_t iterationsOf(mlir::func::FuncOp kernel);

} // namespace rubato

#endif // RUBATO_KERNELS_KERNELFACTS_H
