// Synchronous data-parallel SGD.
#ifndef RUBATO_SYNC_ALLREDUCE_H
#define RUBATO_SYNC_ALLREDUCE_H

#include "dialects/gsync/Gsync.h"
#include "rubato/Sync/Algorithm.h"

#include "lib/Sync/AllReduce/AllReduceDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "lib/Sync/AllReduce/AllReduceAttrs.h.inc"

namespace rubato::allreduce {
const AlgorithmInfo &info();
} // namespace rubato::allreduce

#endif // RUBATO_SYNC_ALLREDUCE_H
