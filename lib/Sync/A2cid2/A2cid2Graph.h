// The graph of gossip among its options.
#ifndef RUBATO_SYNC_A2CID2GRAPH_H
#define RUBATO_SYNC_A2CID2GRAPH_H

#include "rubato/Sync/Algorithm.h"

#include "mlir/IR/Builders.h"

namespace rubato::a2cid2 {

/// The edges of a file, one per line, as the setting `edges` of gossip.matcher:
/// "0 1, 1 2 0.5".
llvm::FailureOr<std::string> readEdges(llvm::StringRef path,
                                       llvm::StringRef text,
                                       AlgorithmOption::EmitError emitError);

/// Refuses options of one graph that are given for another.
llvm::LogicalResult checkGraph(const AlgorithmOptions &options,
                               AlgorithmOption::EmitError emitError);

/// What tells gossip.matcher the graph.
llvm::SmallVector<mlir::NamedAttribute>
graphSettings(const AlgorithmOptions &options, mlir::Builder &b);

} // namespace rubato::a2cid2

#endif // RUBATO_SYNC_A2CID2GRAPH_H
