// Elements of linalg on tensors as scalar code, computed where they are read.
#ifndef RUBATO_LIB_TARGET_CPU_ELEMENTLOWERING_H
#define RUBATO_LIB_TARGET_CPU_ELEMENTLOWERING_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace rubato {

/// Writes the code that computes single elements. What is stored comes out of
/// its buffer; the rest is computed on the spot.
class ElementLowering {
public:
  explicit ElementLowering(mlir::Location loc) : b(loc, loc.getContext()) {}

  /// Whether `op` needs no buffer: each element of its result is read exactly
  /// once, or costs nothing.
  bool isComputedWhereRead(mlir::linalg::LinalgOp op) const;

  /// The element of `tensor` at `indices`, loaded or computed.
  mlir::Value read(mlir::Value tensor, llvm::ArrayRef<mlir::Value> indices);

  /// The results of `op` at the indices of its parallel loops.
  llvm::SmallVector<mlir::Value> evaluate(mlir::linalg::LinalgOp op,
                                          llvm::SmallVector<mlir::Value> ivs);

protected:
  mlir::Value index(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(b, value);
  }
  llvm::SmallVector<mlir::Value> apply(mlir::AffineMap map,
                                       llvm::ArrayRef<mlir::Value> ivs);

  mlir::ImplicitLocOpBuilder b;
  /// The memref behind each tensor that is stored.
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  /// Scalars defined outside of linalg bodies.
  mlir::IRMapping scalars;

private:
  llvm::SmallVector<mlir::Value>
  reduceOver(mlir::linalg::LinalgOp op, llvm::SmallVector<mlir::Value> &ivs,
             llvm::ArrayRef<unsigned> dims,
             llvm::SmallVector<mlir::Value> running);
  llvm::SmallVector<mlir::Value> element(mlir::linalg::LinalgOp op,
                                         llvm::ArrayRef<mlir::Value> ivs,
                                         llvm::ArrayRef<mlir::Value> running);
};

} // namespace rubato

#endif // RUBATO_LIB_TARGET_CPU_ELEMENTLOWERING_H
