// Accelerated asynchronous gossip, as an attribute.
#ifndef RUBATO_SYNC_A2CID2_TD
#define RUBATO_SYNC_A2CID2_TD

include "rubato/Sync/Algorithm.td"

def A2cid2_Dialect : Algorithm_Dialect<"a2cid2"> {
  let summary = "Asynchronous gossip with local momentum between pairs";
}

def A2cid2_AlgorithmAttr : Algorithm_Attr<A2cid2_Dialect> {
  let summary = "members average in pairs while they compute";
}

#endif // RUBATO_SYNC_A2CID2_TD
