// Rules that verifiers of the dialect share.
#ifndef RUBATO_DIALECTS_SCHED_SCHEDVERIFY_H
#define RUBATO_DIALECTS_SCHED_SCHEDVERIFY_H

#include "dialects/sched/Sched.h"

namespace rubato::sched {

/// The buffer of this name, reported if there is none.
BufferOp findBuffer(mlir::Operation *op, mlir::SymbolTableCollection &symbols,
                    mlir::FlatSymbolRefAttr name);

/// Typed accesses must be aligned to their elements; regions are aligned to
/// more than any element.
mlir::LogicalResult checkAligned(mlir::Operation *op, BufferOp buffer,
                                 int64_t offset, mlir::Type type);

/// Bytes of a tensor or a number of the arena.
int64_t sizeOf(mlir::Type type);

/// What the runtime knows: f32, f64, i64 and tensors of them.
mlir::LogicalResult checkElement(mlir::Operation *op, mlir::Type type);

/// A buffer that one entry of `size` bytes fills, in one of these regions.
mlir::LogicalResult checkFilled(mlir::Operation *op,
                                mlir::SymbolTableCollection &symbols,
                                mlir::FlatSymbolRefAttr name, int64_t size,
                                mlir::Type element,
                                llvm::ArrayRef<ArenaRegion> regions);

/// A program, if one is named: `hasGo` where it says whether there is another
/// round.
mlir::LogicalResult checkProgram(mlir::Operation *op,
                                 mlir::SymbolTableCollection &symbols,
                                 llvm::StringRef what,
                                 mlir::FlatSymbolRefAttr name, bool hasGo);

} // namespace rubato::sched

#endif // RUBATO_DIALECTS_SCHED_SCHEDVERIFY_H
