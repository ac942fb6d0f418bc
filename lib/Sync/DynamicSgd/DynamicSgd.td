// Elastic synchronous SGD, as an attribute.
#ifndef RUBATO_SYNC_DYNAMICSGD_TD
#define RUBATO_SYNC_DYNAMICSGD_TD

include "rubato/Sync/Algorithm.td"

def DynamicSgd_Dialect : Algorithm_Dialect<"dynamic_sgd"> {
  let summary = "Elastic synchronous SGD";
}

def DynamicSgd_AlgorithmAttr : Algorithm_Attr<DynamicSgd_Dialect> {
  let summary = "members come and go, and the learning rate follows slowly";
}

#endif // RUBATO_SYNC_DYNAMICSGD_TD
