// Object files from modules in the LLVM dialect, in this process.
#ifndef RUBATO_TARGET_CPU_CODEGEN_H
#define RUBATO_TARGET_CPU_CODEGEN_H

#include "rubato/Target/TargetModel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

#include <string>

namespace rubato {

/// How machine code is made.
struct CodeGenOptions {
  /// A processor name that LLVM knows, or `native`.
  std::string march = "x86-64-v3";
  /// LLVM's optimisation level, 0 to 3.
  unsigned optimize = 2;
};

/// Writes `module` as a position-independent object file. The same module and
/// options give the same bytes. No fast-math, no contraction.
mlir::LogicalResult emitObject(mlir::ModuleOp module,
                               const CodeGenOptions &options,
                               llvm::SmallVectorImpl<char> &object);

/// Writes `bytes` as an object file with the read-only symbols `name`, aligned
/// to 64, and `name`_size, a 64-bit integer. They lie in a section of their
/// own, which survives strip.
mlir::LogicalResult emitDataObject(llvm::StringRef bytes, llvm::StringRef name,
                                   EmitError emitError,
                                   llvm::SmallVectorImpl<char> &object);

/// The object with the weights of a model: `rubato_weights` and
/// `rubato_weights_size`.
mlir::LogicalResult emitWeightsObject(llvm::StringRef bytes,
                                      EmitError emitError,
                                      llvm::SmallVectorImpl<char> &object);

} // namespace rubato

#endif // RUBATO_TARGET_CPU_CODEGEN_H
