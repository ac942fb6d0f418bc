// Delayed synchronous SGD with adaptive batches, as an attribute.
#ifndef RUBATO_SYNC_ABSSGD_TD
#define RUBATO_SYNC_ABSSGD_TD

include "rubato/Sync/Algorithm.td"

def AbsSgd_Dialect : Algorithm_Dialect<"abs_sgd"> {
  let summary = "Delayed synchronous SGD with adaptive batches";
}

def AbsSgd_AlgorithmAttr : Algorithm_Attr<AbsSgd_Dialect> {
  let summary = "a reduction runs while everybody computes the next batch";
}

#endif // RUBATO_SYNC_ABSSGD_TD
