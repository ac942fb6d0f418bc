// Shared by the parts of nn-to-linalg: writing linalg.generic in few words.
#ifndef RUBATO_LIB_KERNELS_NNTOLINALG_H
#define RUBATO_LIB_KERNELS_NNTOLINALG_H

#include "dialects/nn/Nn.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace rubato {

/// Computes one element from the elements of the inputs; a reduction finds
/// the running value behind them.
using ElementFn = llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &,
                                                 mlir::ValueRange)>;

/// A tensor with its indexing map; a null map is the identity.
struct Access {
  Access(mlir::Value tensor, mlir::AffineMap map = {})
      : tensor(tensor), map(map) {}
  mlir::Value tensor;
  mlir::AffineMap map;
};

/// The map (d0, …, d<rank - 1>) -> (dims).
mlir::AffineMap selectDims(mlir::MLIRContext *context, int64_t rank,
                           llvm::ArrayRef<int64_t> dims);

/// The dimensions of 0 … rank - 1 that are not among `dims`, in order.
llvm::SmallVector<int64_t> otherDims(int64_t rank,
                                     llvm::ArrayRef<int64_t> dims);

/// A scalar constant of a float or integer type.
mlir::Value scalar(mlir::ImplicitLocOpBuilder &b, mlir::Type type,
                   double value);

/// A tensor filled with `value`.
mlir::Value filled(mlir::ImplicitLocOpBuilder &b, mlir::RankedTensorType type,
                   mlir::Value value);

/// One linalg.generic, parallel in every dimension of `type`.
mlir::Value elementwise(mlir::ImplicitLocOpBuilder &b,
                        mlir::RankedTensorType type,
                        llvm::ArrayRef<Access> inputs, ElementFn element);

/// One linalg.generic over the dimensions of the first input that combines
/// along `dims`, starting from the scalar `init`.
mlir::Value reduce(mlir::ImplicitLocOpBuilder &b, mlir::Type elementType,
                   llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<Access> inputs,
                   mlir::Value init, ElementFn combine);

/// softmax, log_softmax, the losses and count_correct.
void populateNnScoresToLinalg(mlir::RewritePatternSet &patterns);

/// Makes chains and siblings of elementwise operations one linalg.generic.
void fuseElementwise(mlir::func::FuncOp function);

} // namespace rubato

#endif // RUBATO_LIB_KERNELS_NNTOLINALG_H
