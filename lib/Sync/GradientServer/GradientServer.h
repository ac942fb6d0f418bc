// A server that takes one optimizer step per gradient.
#ifndef RUBATO_SYNC_GRADIENTSERVER_H
#define RUBATO_SYNC_GRADIENTSERVER_H

#include "rubato/Sync/Algorithm.h"

namespace rubato::gradient_server {

const AlgorithmInfo &info();
llvm::LogicalResult build(ProgramBuilder &b, const AlgorithmOptions &options);

} // namespace rubato::gradient_server

#endif // RUBATO_SYNC_GRADIENTSERVER_H
