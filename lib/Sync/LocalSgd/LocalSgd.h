// Local SGD.
#ifndef RUBATO_SYNC_LOCALSGD_H
#define RUBATO_SYNC_LOCALSGD_H

#include "rubato/Sync/Algorithm.h"

namespace rubato::local_sgd {

const AlgorithmInfo &info();
llvm::LogicalResult build(ProgramBuilder &b, const AlgorithmOptions &options);

} // namespace rubato::local_sgd

#endif // RUBATO_SYNC_LOCALSGD_H
