// Adaptive model averaging on unequal devices.
#ifndef RUBATO_SYNC_ADAPTIVESGD_H
#define RUBATO_SYNC_ADAPTIVESGD_H

#include "rubato/Sync/Algorithm.h"

namespace rubato::adaptive_sgd {

const AlgorithmInfo &info();
llvm::LogicalResult build(ProgramBuilder &b, const AlgorithmOptions &options);

} // namespace rubato::adaptive_sgd

#endif // RUBATO_SYNC_ADAPTIVESGD_H
