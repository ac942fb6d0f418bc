// Accelerated asynchronous gossip.
#ifndef RUBATO_SYNC_A2CID2_H
#define RUBATO_SYNC_A2CID2_H

#include "dialects/gsync/Gsync.h"
#include "rubato/Sync/Algorithm.h"

#include "lib/Sync/A2cid2/A2cid2Dialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "lib/Sync/A2cid2/A2cid2Attrs.h.inc"

namespace rubato::a2cid2 {
const AlgorithmInfo &info();
} // namespace rubato::a2cid2

#endif // RUBATO_SYNC_A2CID2_H
