// The synchronisation algorithms that this build contains.
#ifndef RUBATO_SYNC_ALGORITHMS_H
#define RUBATO_SYNC_ALGORITHMS_H

#include "rubato/Sync/Algorithm.h"

#include "mlir/IR/DialectRegistry.h"

namespace rubato {

/// Registers the dialect of every algorithm, one per folder of lib/Sync.
void registerAlgorithms(mlir::DialectRegistry &registry);

/// All of them, by folder.
llvm::ArrayRef<const AlgorithmInfo *> algorithms();

/// What a user calls them and their configurations, sorted.
llvm::SmallVector<std::string> algorithmNames();

/// What a name stands for; null where there is no such name.
struct NamedAlgorithm {
  const AlgorithmInfo *algorithm = nullptr;
  const AlgorithmConfiguration *configuration = nullptr;
};
NamedAlgorithm findAlgorithm(llvm::StringRef name);

/// The name of the algorithm that is meant where nobody names one.
std::string defaultAlgorithm();

} // namespace rubato

#endif // RUBATO_SYNC_ALGORITHMS_H
