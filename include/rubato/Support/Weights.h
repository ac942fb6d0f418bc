// The weights file that a module names.
#ifndef RUBATO_SUPPORT_WEIGHTS_H
#define RUBATO_SUPPORT_WEIGHTS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace rubato {

/// Maps the file that `module` names (relative to `directory`), and checks
/// that it is the one the module was made with, in the format of this version.
mlir::FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
openWeights(mlir::ModuleOp module, llvm::StringRef directory);

} // namespace rubato

#endif // RUBATO_SUPPORT_WEIGHTS_H
