// Bounded staleness with a parameter server.
#ifndef RUBATO_SYNC_BOUNDEDSTALENESS_H
#define RUBATO_SYNC_BOUNDEDSTALENESS_H

#include "rubato/Sync/Algorithm.h"

namespace rubato::bounded_staleness {

const AlgorithmInfo &info();
llvm::LogicalResult build(ProgramBuilder &b, const AlgorithmOptions &options);

} // namespace rubato::bounded_staleness

#endif // RUBATO_SYNC_BOUNDEDSTALENESS_H
