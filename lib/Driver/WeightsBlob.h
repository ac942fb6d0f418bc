// The weights file of a module, as the driver needs it.
#ifndef RUBATO_LIB_DRIVER_WEIGHTSBLOB_H
#define RUBATO_LIB_DRIVER_WEIGHTSBLOB_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace rubato {

struct WeightsBlob {
  std::unique_ptr<llvm::MemoryBuffer> bytes;
  std::string patches; // JSON list: where trained values go in the template
};

/// Maps the file that `module` names (relative to `directory`), and checks
/// that it is the one the module was made with.
mlir::FailureOr<WeightsBlob> openWeights(mlir::ModuleOp module,
                                         llvm::StringRef directory);

} // namespace rubato

#endif // RUBATO_LIB_DRIVER_WEIGHTSBLOB_H
