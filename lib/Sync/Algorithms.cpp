// The list of algorithms: one line each.
#include "rubato/Sync/Algorithms.h"

#include "AllReduce/AllReduce.h"

void rubato::registerAlgorithms(mlir::DialectRegistry &registry) {
  registry.insert<allreduce::AllReduceDialect>();
}
