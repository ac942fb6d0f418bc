// How the verifiers look at a program: structured control flow, no calls to
// functions that communicate.
#ifndef RUBATO_LIB_SYNC_PROGRAMSTRUCTURE_H
#define RUBATO_LIB_SYNC_PROGRAMSTRUCTURE_H

#include "dialects/gsync/Gsync.h"

#include "mlir/IR/OwningOpRef.h"

namespace rubato {

/// What verifiers start their messages with.
inline constexpr llvm::StringLiteral kSyncStage = "sync stage: ";

/// An operation that runs one of its regions, or none: scf.if,
/// scf.index_switch.
bool isBranch(mlir::Operation *op);

/// An operation that runs its regions any number of times: gsync.repeat,
/// scf.for, scf.while.
bool isLoop(mlir::Operation *op);

/// Whether one of the regions of a branch may be skipped altogether.
bool maySkip(mlir::Operation *branch);

/// Whether an operation is of gsync and does more than compute: its place and
/// number must not change. Regions are not looked into.
bool isAction(mlir::Operation *op);

/// The operation of a part's block or of a loop's in which `op` stands, going
/// outwards to the part; `visit` gets every enclosing operation below the part.
void visitEnclosing(mlir::Operation *op,
                    llvm::function_ref<void(mlir::Operation *)> visit);

/// The init, strand, drain or model around an operation; null in a function.
mlir::Operation *partOf(mlir::Operation *op);

/// "strand @talk of role @worker" and the like.
std::string describePart(mlir::Operation *part);

/// Whether members go through the rounds of a part together: it reaches a
/// collective, a vote, or samples that are dealt out by the round. `part` calls
/// no helpers.
bool sharesRounds(mlir::Operation *part);

/// A program without calls to helpers: the module itself where there are none,
/// else a copy with them inlined. Functions that only compute stay calls. An
/// error where helpers are recursive or not structured.
class FlatProgram {
public:
  static mlir::FailureOr<FlatProgram> get(mlir::ModuleOp module);

  mlir::ModuleOp module() { return copy ? *copy : original; }

private:
  mlir::ModuleOp original;
  mlir::OwningOpRef<mlir::ModuleOp> copy;
};

} // namespace rubato

#endif // RUBATO_LIB_SYNC_PROGRAMSTRUCTURE_H
