// Synchronous data-parallel SGD.
#ifndef RUBATO_SYNC_ALLREDUCE_H
#define RUBATO_SYNC_ALLREDUCE_H

#include "rubato/Sync/Algorithm.h"

namespace rubato::allreduce {

const AlgorithmInfo &info();
llvm::LogicalResult build(ProgramBuilder &b, const AlgorithmOptions &options);

} // namespace rubato::allreduce

#endif // RUBATO_SYNC_ALLREDUCE_H
