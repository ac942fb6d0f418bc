// Bounded staleness with a parameter server.
#ifndef RUBATO_SYNC_BOUNDEDSTALENESS_H
#define RUBATO_SYNC_BOUNDEDSTALENESS_H

#include "dialects/gsync/Gsync.h"
#include "rubato/Sync/Algorithm.h"

#include "lib/Sync/BoundedStaleness/BoundedStalenessDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "lib/Sync/BoundedStaleness/BoundedStalenessAttrs.h.inc"

namespace rubato::bounded_staleness {
const AlgorithmInfo &info();
} // namespace rubato::bounded_staleness

#endif // RUBATO_SYNC_BOUNDEDSTALENESS_H
