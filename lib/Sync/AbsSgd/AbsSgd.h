// Delayed synchronous SGD with adaptive batches (ABS-SGD).
#ifndef RUBATO_SYNC_ABSSGD_H
#define RUBATO_SYNC_ABSSGD_H

#include "rubato/Sync/Algorithm.h"

namespace rubato::abs_sgd {

const AlgorithmInfo &info();
llvm::LogicalResult build(ProgramBuilder &b, const AlgorithmOptions &options);

} // namespace rubato::abs_sgd

#endif // RUBATO_SYNC_ABSSGD_H
