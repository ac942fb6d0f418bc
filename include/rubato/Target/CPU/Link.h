// Linking in this process, with files shipped beside the compiler.
#ifndef RUBATO_TARGET_CPU_LINK_H
#define RUBATO_TARGET_CPU_LINK_H

#include "rubato/Target/CPU/CodeGen.h"

namespace rubato {

/// Where the start files and the runtime lie for a compiler at `executable`:
/// ../lib/rubato beside it.
std::string linkFilesDirectory(llvm::StringRef executable);

/// Links object files, given by their bytes, with the start files and the
/// archives in `filesDirectory` to a dynamic position-independent executable.
/// Needs no compiler on the machine, only its C library.
mlir::LogicalResult linkExecutable(llvm::ArrayRef<llvm::StringRef> objects,
                                   llvm::StringRef filesDirectory,
                                   llvm::StringRef output, EmitError emitError,
                                   const LinkOptions &options = {});

/// Links object files to a shared object with nothing else in it.
mlir::LogicalResult linkShared(llvm::ArrayRef<llvm::StringRef> objects,
                               llvm::StringRef output, EmitError emitError);

} // namespace rubato

#endif // RUBATO_TARGET_CPU_LINK_H
