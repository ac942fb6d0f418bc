// Reverse-mode differentiation of straight-line code.
#ifndef RUBATO_TRAIN_DIFFERENTIATE_H
#define RUBATO_TRAIN_DIFFERENTIATE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace rubato {

/// Appends, at the builder's insertion point, operations that compute the
/// gradients of `wrt` given the gradient `seed` of `output`. Only operations
/// of `output`'s block that lie on a path from `wrt` to `output` take part.
/// An entry of `gradients` stays null where `output` does not depend on it.
///
/// Operations without a rule on such a path are reported together, in one
/// error at the location of the first.
llvm::LogicalResult
differentiate(mlir::OpBuilder &builder, mlir::Value output, mlir::Value seed,
              llvm::ArrayRef<mlir::Value> wrt,
              llvm::SmallVectorImpl<mlir::Value> &gradients);

} // namespace rubato

#endif // RUBATO_TRAIN_DIFFERENTIATE_H
