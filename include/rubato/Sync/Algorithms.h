// The synchronisation algorithms that this build contains.
#ifndef RUBATO_SYNC_ALGORITHMS_H
#define RUBATO_SYNC_ALGORITHMS_H

#include "mlir/IR/DialectRegistry.h"

namespace rubato {

/// Registers the dialect of every algorithm, one per folder of lib/Sync.
void registerAlgorithms(mlir::DialectRegistry &registry);

} // namespace rubato

#endif // RUBATO_SYNC_ALGORITHMS_H
