// Adaptive model averaging on unequal devices, as an attribute.
#ifndef RUBATO_SYNC_ADAPTIVESGD_TD
#define RUBATO_SYNC_ADAPTIVESGD_TD

include "rubato/Sync/Algorithm.td"

def AdaptiveSgd_Dialect : Algorithm_Dialect<"adaptive_sgd"> {
  let summary = "Adaptive model averaging on unequal devices";
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def AdaptiveSgd_AlgorithmAttr : Algorithm_Attr<AdaptiveSgd_Dialect> {
  let summary = "rows go to whoever is free; replicas are merged by weight";
}

#endif // RUBATO_SYNC_ADAPTIVESGD_TD
