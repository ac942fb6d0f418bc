// Load-balanced synchronous SGD, as an attribute.
#ifndef RUBATO_SYNC_LBBSP_TD
#define RUBATO_SYNC_LBBSP_TD

include "rubato/Sync/Algorithm.td"

def LbBsp_Dialect : Algorithm_Dialect<"lb_bsp"> {
  let summary = "Load-balanced synchronous SGD";
}

def LbBsp_AlgorithmAttr : Algorithm_Attr<LbBsp_Dialect> {
  let summary = "every member gets the share of the batch that fits its speed";
}

#endif // RUBATO_SYNC_LBBSP_TD
