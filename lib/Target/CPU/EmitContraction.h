// The contraction emitter's description of one matrix product and the blocking
// that its loops use.
#ifndef RUBATO_LIB_TARGET_CPU_EMITCONTRACTION_H
#define RUBATO_LIB_TARGET_CPU_EMITCONTRACTION_H

#include "Emitters.h"

#include "rubato/Target/CPU/EmitSupport.h"

namespace rubato::cpu {

/// result[m, n] = epilogue(sum over k of A[m, k] * B[k, n]). A is stored as
/// [k, m] if `transposeA`, B as [n, k] if `transposeB`.
struct Contraction {
  mlir::linalg::LinalgOp product;
  mlir::linalg::GenericOp epilogue; // null if there is none
  mlir::Value a, b;
  bool transposeA = false, transposeB = false;
  int64_t m = 0, n = 0, k = 0;
  /// What each result of the kernel is: a result of the epilogue, or -1 for
  /// the product itself.
  llvm::SmallVector<int> results;
};

/// Recognises a kernel whose body is one matrix product over zeros and at most
/// one elementwise operation on its result.
std::optional<Contraction> matchContraction(mlir::func::FuncOp func,
                                            Refusal &refusal);

/// How the loops of one contraction are cut; EmitContractionLoops.cpp shows the
/// nest.
struct Blocking {
  /// AVX2: 8 floats per register, two registers of columns and six rows make
  /// twelve accumulators; two registers for B and one for A are left.
  static constexpr int64_t lanes = 8, vectors = 2, maxRows = 6;
  static constexpr int64_t columns = lanes * vectors;

  int64_t tiles;     // row tiles in all
  int64_t tallTiles; // of `rows` rows; the others have one row less
  int64_t rows;
  int64_t blockTiles; // tiles per row block
  int64_t kc, kBlocks;
  bool packA, packB;
  bool prefetch; // the epilogue's matrices

  explicit Blocking(const Contraction &c);
};

/// Copies `depth` steps of k from `k0` on of the columns from `col` on, `width`
/// of them, to the panel `packed`.
void emitPackB(mlir::OpBuilder &b, mlir::Location loc, const Contraction &c,
               mlir::Value source, mlir::Value packed, mlir::Value k0,
               int64_t depth, mlir::Value col, int64_t width);
/// Copies step `k` of `rows` rows of a transposed A to `packed[to]` and on.
void emitPackRows(mlir::OpBuilder &b, mlir::Location loc, mlir::Value source,
                  mlir::Value packed, mlir::Value to, mlir::Value k,
                  mlir::Value row, int64_t rows);

/// Writes the body of the kernel.
void emitContraction(Contraction &c, const MemrefKernel &kernel);

} // namespace rubato::cpu

#endif // RUBATO_LIB_TARGET_CPU_EMITCONTRACTION_H
