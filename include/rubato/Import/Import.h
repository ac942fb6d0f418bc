// From an ONNX file to the `import` stage: nn, arith and math in one function.
#ifndef RUBATO_IMPORT_IMPORT_H
#define RUBATO_IMPORT_IMPORT_H

#include "rubato/Import/Roles.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>

namespace rubato {

/// The element type of parameters and of all floating-point values.
enum class FloatKind { F32, F64 };

struct ImportOptions {
  /// Samples in one micro-batch; 0 takes the number that the file fixes.
  int64_t batch = 0;
  /// Values of the file's symbolic dimensions.
  std::map<std::string, int64_t> dims;
  /// Which tensors training changes, where the file's own answer is wrong.
  onnx::RoleOptions roles;
  FloatKind floats = FloatKind::F32;
  /// Where initial values and the inference template go (safetensors); with
  /// an empty path nothing is written and the module names no weights.
  std::string weightsPath;
};

/// Imports the model at `path`. On failure returns null and says everything
/// that is wrong in `diagnostics`; operators that we lack make one report.
mlir::OwningOpRef<mlir::ModuleOp> importOnnx(mlir::MLIRContext &context,
                                             llvm::StringRef path,
                                             const ImportOptions &options,
                                             onnx::Diagnostics &diagnostics);

/// The same for a model that is loaded already.
mlir::OwningOpRef<mlir::ModuleOp> importModel(mlir::MLIRContext &context,
                                              const onnx::Model &model,
                                              const ImportOptions &options,
                                              onnx::Diagnostics &diagnostics);

} // namespace rubato

#endif // RUBATO_IMPORT_IMPORT_H
