// Bounded staleness with a parameter server, as an attribute.
#ifndef RUBATO_SYNC_BOUNDEDSTALENESS_TD
#define RUBATO_SYNC_BOUNDEDSTALENESS_TD

include "rubato/Sync/Algorithm.td"

def BoundedStaleness_Dialect : Algorithm_Dialect<"bounded_staleness"> {
  let summary = "A parameter server that bounds how stale a result may be";
}

def BoundedStaleness_AlgorithmAttr : Algorithm_Attr<BoundedStaleness_Dialect> {
  let summary = "the server waits for the first workers, and restarts stale ones";
}

#endif // RUBATO_SYNC_BOUNDEDSTALENESS_TD
