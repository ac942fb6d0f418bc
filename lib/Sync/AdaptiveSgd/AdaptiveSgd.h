// Adaptive model averaging on unequal devices.
#ifndef RUBATO_SYNC_ADAPTIVESGD_H
#define RUBATO_SYNC_ADAPTIVESGD_H

#include "dialects/gsync/Gsync.h"
#include "rubato/Sync/Algorithm.h"

#include "lib/Sync/AdaptiveSgd/AdaptiveSgdDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "lib/Sync/AdaptiveSgd/AdaptiveSgdAttrs.h.inc"

namespace rubato::adaptive_sgd {
const AlgorithmInfo &info();
} // namespace rubato::adaptive_sgd

#endif // RUBATO_SYNC_ADAPTIVESGD_H
