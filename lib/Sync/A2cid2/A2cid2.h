// Accelerated asynchronous gossip.
#ifndef RUBATO_SYNC_A2CID2_H
#define RUBATO_SYNC_A2CID2_H

#include "rubato/Sync/Algorithm.h"

namespace rubato::a2cid2 {

const AlgorithmInfo &info();
llvm::LogicalResult build(ProgramBuilder &b, const AlgorithmOptions &options);

} // namespace rubato::a2cid2

#endif // RUBATO_SYNC_A2CID2_H
