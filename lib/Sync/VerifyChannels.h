// The larger rules of gsync-verify-channels, each in a file of its own.
#ifndef RUBATO_LIB_SYNC_VERIFYCHANNELS_H
#define RUBATO_LIB_SYNC_VERIFYCHANNELS_H

#include "dialects/gsync/Gsync.h"

namespace rubato {

/// One server that grants first, grants after every collect while it goes on,
/// and closes; workers that pull.
llvm::LogicalResult checkMailbox(mlir::ModuleOp module,
                                 gsync::ChannelOp channel);

/// At most one exchange and one pull of a strand are on their way at a time.
llvm::LogicalResult checkOutstanding(gsync::RoleOp role);

} // namespace rubato

#endif // RUBATO_LIB_SYNC_VERIFYCHANNELS_H
