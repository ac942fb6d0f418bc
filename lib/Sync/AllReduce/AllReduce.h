// Synchronous data-parallel SGD.
#ifndef RUBATO_SYNC_ALLREDUCE_H
#define RUBATO_SYNC_ALLREDUCE_H

#include "dialects/gsync/Gsync.h"

#include "lib/Sync/AllReduce/AllReduceDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "lib/Sync/AllReduce/AllReduceAttrs.h.inc"

#endif // RUBATO_SYNC_ALLREDUCE_H
