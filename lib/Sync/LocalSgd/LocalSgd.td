// Local SGD, as an attribute.
#ifndef RUBATO_SYNC_LOCALSGD_TD
#define RUBATO_SYNC_LOCALSGD_TD

include "rubato/Sync/Algorithm.td"

def LocalSgd_Dialect : Algorithm_Dialect<"local_sgd"> {
  let summary = "Local SGD";
}

def LocalSgd_AlgorithmAttr : Algorithm_Attr<LocalSgd_Dialect> {
  let summary = "several local steps, then an average of the parameters";
}

#endif // RUBATO_SYNC_LOCALSGD_TD
