// The synchronisation algorithms that this build contains.
#ifndef RUBATO_SYNC_ALGORITHMS_H
#define RUBATO_SYNC_ALGORITHMS_H

#include "mlir/IR/DialectRegistry.h"

namespace rubato {

/// Registers the dialect of every algorithm, one per folder of lib/Sync.
void registerAlgorithms(mlir::DialectRegistry &registry);

/// What a user calls them (`abs-sgd` for the dialect `abs_sgd`), sorted.
llvm::SmallVector<std::string> algorithmNames();

} // namespace rubato

#endif // RUBATO_SYNC_ALGORITHMS_H
