// Kernels that work row by row: what cpu-emit-rows found in a body, for the
// code that writes its loops.
#ifndef RUBATO_LIB_TARGET_CPU_EMITROWS_H
#define RUBATO_LIB_TARGET_CPU_EMITROWS_H

#include "Emitters.h"

#include "rubato/Target/CPU/EmitSupport.h"

#include <optional>

namespace rubato::cpu {

/// What an operation of a row kernel does, given one row.
enum class RowStep {
  /// One value per row from values per row.
  Scalar,
  /// One value per column.
  Columns,
  /// One value per row: the columns combined by one operation.
  Reduce,
  /// One value per row: the column whose number is an operand, if it exists.
  Pick,
  /// A reduction along rows of one column: nothing to combine.
  Single,
  /// The running results over all rows.
  Total,
};

/// Columns in a vector: the same number on every machine, so that sums are too.
inline constexpr int64_t kRowLanes = 16;

/// The bytes of stack that the rows between the steps may take, as many as the
/// reference road has for whole tensors.
inline constexpr int64_t kRowScratchLimit = 65536;

/// One operation of a row kernel.
struct RowOp {
  mlir::linalg::GenericOp op;
  RowStep step;
  /// What each result starts from; reductions only.
  llvm::SmallVector<mlir::TypedAttr> inits;
  /// Reduce: the operation that combines two values, and what changes nothing.
  mlir::Operation *combine = nullptr;
  mlir::TypedAttr neutral;
  /// Pick: the operand that names the column.
  mlir::OpOperand *column = nullptr;
};

/// A kernel that is a chain of operations over the rows (all loops but the
/// last one) of tensors.
struct RowChain {
  llvm::SmallVector<RowOp> ops;
  llvm::SmallVector<int64_t> rows;
  int64_t columns = 0;
  /// The values that the kernel returns.
  llvm::SmallVector<mlir::Value> results;
  /// Whether a launch may compute a part of the outermost row loop.
  bool split = false;
};

/// The chain that `func` is, if it is one.
std::optional<RowChain> matchRowChain(mlir::func::FuncOp func,
                                      Refusal &refusal);

/// Writes the loops of `chain` into the body of `kernel`.
void emitRowChain(const RowChain &chain, const MemrefKernel &kernel);

/// Adds `count` columns from `column` on to as many running values; zero means
/// a scalar.
using AddColumns =
    llvm::function_ref<mlir::Value(mlir::OpBuilder &b, mlir::Value column,
                                   int64_t count, mlir::Value running)>;

/// Vectors of columns in turn to four running vectors, these to one, and its
/// halves together until one value is left; the tail joins where the halves
/// have its width.
mlir::Value emitRowReduction(mlir::OpBuilder &b, const RowOp &row,
                             int64_t columns, AddColumns add);

} // namespace rubato::cpu

#endif // RUBATO_LIB_TARGET_CPU_EMITROWS_H
