// Which values of a program are the same on every member.
//
// A forward data flow with two states: *uniform*, the same on every member that
// is in the same round, and *local*. It starts with everything uniform and
// makes values local until nothing changes, over all roles together, because
// cells connect them.
#ifndef RUBATO_LIB_SYNC_UNIFORMITY_H
#define RUBATO_LIB_SYNC_UNIFORMITY_H

#include "ProgramStructure.h"

namespace rubato {

class Uniformity {
public:
  /// `module` has no calls to helpers.
  explicit Uniformity(mlir::ModuleOp module);

  /// The operation that made a value local; null for a uniform one.
  mlir::Operation *causeOf(mlir::Value value) const {
    return values.lookup(value);
  }

  /// What makes the way into a branch, or the number of runs of a loop, local;
  /// null where it is uniform.
  mlir::Operation *causeOfPath(mlir::Operation *control) const;

private:
  using Cause = mlir::Operation *;

  void visitRole(gsync::RoleOp role);
  void visitBlock(mlir::Block &block, Cause reach);
  void visit(mlir::Operation *op, Cause reach);
  void visitBranch(mlir::Operation *op, Cause reach);
  void visitRepeat(gsync::RepeatOp op, Cause reach);
  void visitScfLoop(mlir::Operation *op, Cause reach);
  void visitAtomic(gsync::AtomicOp op, Cause reach);
  bool visitSource(mlir::Operation *op);

  void mark(mlir::Value value, Cause cause);
  void flow(mlir::ValueRange from, mlir::ValueRange to, Cause extra = nullptr);
  Cause join(mlir::ValueRange values) const;

  /// Whoever reads a cell in a part.
  Cause causeOfCell(mlir::StringAttr cell, mlir::Operation *part) const;

  mlir::ModuleOp module;
  llvm::DenseMap<mlir::Value, Cause> values;
  llvm::DenseMap<mlir::StringAttr, Cause> cells;
  /// The strand that writes a cell, with the atomic that does; two entries
  /// where several do.
  llvm::DenseMap<mlir::StringAttr,
                 llvm::SmallVector<std::pair<mlir::Operation *, Cause>, 2>>
      writers;
  bool changed = false;
};

} // namespace rubato

#endif // RUBATO_LIB_SYNC_UNIFORMITY_H
