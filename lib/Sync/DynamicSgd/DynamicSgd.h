// Elastic synchronous SGD with a smoothed learning rate (Dynamic SGD).
#ifndef RUBATO_SYNC_DYNAMICSGD_H
#define RUBATO_SYNC_DYNAMICSGD_H

#include "dialects/gsync/Gsync.h"
#include "rubato/Sync/Algorithm.h"

#include "lib/Sync/DynamicSgd/DynamicSgdDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "lib/Sync/DynamicSgd/DynamicSgdAttrs.h.inc"

namespace rubato::dynamic_sgd {
const AlgorithmInfo &info();
} // namespace rubato::dynamic_sgd

#endif // RUBATO_SYNC_DYNAMICSGD_H
