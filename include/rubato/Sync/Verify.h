// The rules of gsync programs that are true of paths and of whole programs.
//
// Each is a pass of its own (`gsync-verify-…`) and a function here; the
// contract of the sync stage, `verify-sync`, calls them all. Messages name the
// operation, the rule and the remedy.
#ifndef RUBATO_SYNC_VERIFY_H
#define RUBATO_SYNC_VERIFY_H

#include "mlir/IR/BuiltinOps.h"

namespace rubato {

/// Every future is consumed exactly once on every path.
llvm::LogicalResult verifyFutures(mlir::ModuleOp module);

/// Every member starts the same operations on collective channels, in the same
/// order.
llvm::LogicalResult verifyUniformity(mlir::ModuleOp module);

/// Who may change which cell, and that no change gets lost. `printLocks` says
/// in remarks which cells share a lock.
llvm::LogicalResult verifyCells(mlir::ModuleOp module, bool printLocks = false);

/// Every channel, mailbox and rendezvous is used by those who must, so that
/// nobody waits for ever for what nobody sends.
llvm::LogicalResult verifyChannels(mlir::ModuleOp module);

/// Warns where cells change before an operation that may fail. Fails only where
/// it cannot look: on recursive helpers.
llvm::LogicalResult verifyFailure(mlir::ModuleOp module);

} // namespace rubato

#endif // RUBATO_SYNC_VERIFY_H
