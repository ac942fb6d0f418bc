// Delayed synchronous SGD with adaptive batches (ABS-SGD).
#ifndef RUBATO_SYNC_ABSSGD_H
#define RUBATO_SYNC_ABSSGD_H

#include "dialects/gsync/Gsync.h"
#include "rubato/Sync/Algorithm.h"

#include "lib/Sync/AbsSgd/AbsSgdDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "lib/Sync/AbsSgd/AbsSgdAttrs.h.inc"

namespace rubato::abs_sgd {
const AlgorithmInfo &info();
} // namespace rubato::abs_sgd

#endif // RUBATO_SYNC_ABSSGD_H
