// Load-balanced synchronous SGD (LB-BSP).
#ifndef RUBATO_SYNC_LBBSP_H
#define RUBATO_SYNC_LBBSP_H

#include "rubato/Sync/Algorithm.h"

namespace rubato::lb_bsp {

const AlgorithmInfo &info();
llvm::LogicalResult build(ProgramBuilder &b, const AlgorithmOptions &options);

} // namespace rubato::lb_bsp

#endif // RUBATO_SYNC_LBBSP_H
