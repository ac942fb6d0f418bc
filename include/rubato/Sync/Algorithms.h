// The synchronisation algorithms that this build contains, one per folder of
// lib/Sync.
#ifndef RUBATO_SYNC_ALGORITHMS_H
#define RUBATO_SYNC_ALGORITHMS_H

#include "rubato/Sync/Algorithm.h"

namespace rubato {

/// What users call them and their configurations, sorted.
llvm::SmallVector<std::string> algorithmNames();

/// What a name stands for; null where there is no such name.
struct NamedAlgorithm {
  const AlgorithmInfo *algorithm = nullptr;
  const AlgorithmConfiguration *configuration = nullptr;
  BuildProgram build = nullptr;
};
NamedAlgorithm findAlgorithm(llvm::StringRef name);

/// The name of the algorithm that is meant where nobody names one.
std::string defaultAlgorithm();

/// What to say where there is no such name: the names there are, those first
/// that are spelled most like it.
std::string unknownAlgorithm(llvm::StringRef name);

} // namespace rubato

#endif // RUBATO_SYNC_ALGORITHMS_H
