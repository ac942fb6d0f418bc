// Synchronous data-parallel SGD, as an attribute.
#ifndef RUBATO_SYNC_ALLREDUCE_TD
#define RUBATO_SYNC_ALLREDUCE_TD

include "rubato/Sync/Algorithm.td"

def AllReduce_Dialect : Algorithm_Dialect<"allreduce"> {
  let summary = "Synchronous data-parallel SGD";
}

def AllReduce_AlgorithmAttr : Algorithm_Attr<AllReduce_Dialect> {
  let summary = "every round sums the gradients of all members";
}

#endif // RUBATO_SYNC_ALLREDUCE_TD
