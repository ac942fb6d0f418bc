// Load-balanced synchronous SGD (LB-BSP).
#ifndef RUBATO_SYNC_LBBSP_H
#define RUBATO_SYNC_LBBSP_H

#include "dialects/gsync/Gsync.h"
#include "rubato/Sync/Algorithm.h"

#include "lib/Sync/LbBsp/LbBspDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "lib/Sync/LbBsp/LbBspAttrs.h.inc"

namespace rubato::lb_bsp {
const AlgorithmInfo &info();
} // namespace rubato::lb_bsp

#endif // RUBATO_SYNC_LBBSP_H
