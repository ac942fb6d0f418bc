// Local SGD.
#ifndef RUBATO_SYNC_LOCALSGD_H
#define RUBATO_SYNC_LOCALSGD_H

#include "dialects/gsync/Gsync.h"
#include "rubato/Sync/Algorithm.h"

#include "lib/Sync/LocalSgd/LocalSgdDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "lib/Sync/LocalSgd/LocalSgdAttrs.h.inc"

namespace rubato::local_sgd {
const AlgorithmInfo &info();
} // namespace rubato::local_sgd

#endif // RUBATO_SYNC_LOCALSGD_H
