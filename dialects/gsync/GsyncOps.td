// Operations of the gsync dialect.
#ifndef RUBATO_GSYNC_OPS_TD
#define RUBATO_GSYNC_OPS_TD

include "dialects/gsync/GsyncProgramOps.td"
include "dialects/gsync/GsyncCellOps.td"
include "dialects/gsync/GsyncChannelOps.td"
include "dialects/gsync/GsyncRoundOps.td"

#endif // RUBATO_GSYNC_OPS_TD
