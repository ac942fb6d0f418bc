// Elastic synchronous SGD with a smoothed learning rate (Dynamic SGD).
#ifndef RUBATO_SYNC_DYNAMICSGD_H
#define RUBATO_SYNC_DYNAMICSGD_H

#include "rubato/Sync/Algorithm.h"

namespace rubato::dynamic_sgd {

const AlgorithmInfo &info();
llvm::LogicalResult build(ProgramBuilder &b, const AlgorithmOptions &options);

} // namespace rubato::dynamic_sgd

#endif // RUBATO_SYNC_DYNAMICSGD_H
