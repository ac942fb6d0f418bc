// What the kernel emitters share: the change from tensor to memref form, and
// reading operands and computing payloads on scalars or on vectors.
#ifndef RUBATO_TARGET_CPU_EMITSUPPORT_H
#define RUBATO_TARGET_CPU_EMITSUPPORT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

namespace rubato::cpu {

/// Whether `func` is a kernel that is still in tensor form, with one block.
bool isTensorKernel(mlir::func::FuncOp func);

/// A kernel on its way from tensor to memref form. Construction replaces the
/// body of the function by an empty one with the memref signature; the tensor
/// body lives on, detached, until this object goes.
class MemrefKernel {
public:
  explicit MemrefKernel(mlir::func::FuncOp func);
  ~MemrefKernel();

  /// The memref that a value of the tensor body stands for, which must be an
  /// argument.
  mlir::Value operand(mlir::Value tensor) const;
  /// The destination of result `index`.
  mlir::Value destination(unsigned index) const;
  mlir::Value lo() const;
  mlir::Value hi() const;
  /// Where to write the new body: before its return.
  mlir::OpBuilder builder() const;

private:
  mutable mlir::func::FuncOp func; // a handle: its accessors are not const
  mlir::Region tensorBody;
  unsigned operands;
};

/// Index arithmetic that folds constants, so that the emitted loops stay
/// readable.
mlir::Value constantIndex(mlir::OpBuilder &b, mlir::Location loc, int64_t v);
mlir::Value addIndex(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                     int64_t y);
mlir::Value addIndex(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                     mlir::Value y);
mlir::Value mulIndex(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                     int64_t y);

/// `count` lanes cut into power-of-two vectors of at most `widest` lanes:
/// 13 is 8 + 4 + 1. A tail computed so needs no mask.
llvm::SmallVector<int64_t> splitLanes(int64_t count, int64_t widest);

/// The vector of `lanes` zeros.
mlir::Value zeroVector(mlir::OpBuilder &b, mlir::Location loc, int64_t lanes);

/// `count` lanes of `vector` from `offset` on.
mlir::Value sliceLanes(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value vector, int64_t offset, int64_t count);

/// The attribute of a constant scalar, or of a constant tensor with one value;
/// null if `value` is neither.
mlir::TypedAttr uniformConstant(mlir::Value value);

/// `lanes` times a constant; zero lanes mean one scalar.
mlir::Value splatConstant(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::TypedAttr attr, int64_t lanes);

/// Whether vectors of `type` can lie in memory: whole bytes per element, which
/// an i1 has not.
bool isStorable(mlir::Type type);

/// Whether `map` reads by loops, or by zeros for dimensions of extent one, and
/// the last loop can only be the last index.
bool isVectorReadable(mlir::AffineMap map);

/// Whether `emitPayload` can compute the payload of `op`: elementwise
/// operations, constants and loop indices.
bool hasVectorPayload(mlir::linalg::GenericOp op);

/// Whether the emitters can compute `op`: all loops parallel, results written
/// at the loop indices, operands read by projections in which the last loop
/// can only be the last index, and a payload of elementwise operations.
bool isElementwise(mlir::linalg::GenericOp op);

/// Whether an operand of `op` is one that `readOperand` knows: an argument of
/// the kernel, or a constant with one value.
bool isReadable(mlir::Value operand);

/// `lanes` elements of `operand` (an operand of the tensor body, read by
/// `map`) at the loop indices `ivs`; zero lanes mean one scalar.
mlir::Value readOperand(mlir::OpBuilder &b, mlir::Location loc,
                        const MemrefKernel &kernel, mlir::Value operand,
                        mlir::AffineMap map, mlir::ValueRange ivs,
                        int64_t lanes);

/// Stores a scalar or a vector at `ivs`.
void storeAt(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
             mlir::Value memref, mlir::ValueRange ivs);

/// The values that the payload of `op` yields for `inputs` (behind them may
/// come the running values of a reduction), each a scalar (`lanes` is zero) or
/// a vector. A payload that asks for loop indices needs `ivs`; the lanes lie
/// along the last of them.
llvm::SmallVector<mlir::Value>
emitPayload(mlir::OpBuilder &b, mlir::linalg::GenericOp op,
            mlir::ValueRange inputs, int64_t lanes, mlir::ValueRange ivs = {});

} // namespace rubato::cpu

#endif // RUBATO_TARGET_CPU_EMITSUPPORT_H
