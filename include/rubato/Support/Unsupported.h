// Errors of the kind "sound, but we cannot do it": exit code 3, not 1.
#ifndef RUBATO_SUPPORT_UNSUPPORTED_H
#define RUBATO_SUPPORT_UNSUPPORTED_H

#include "mlir/IR/Diagnostics.h"

namespace rubato {

/// Marks an error before it is reported.
inline void markUnsupported(mlir::InFlightDiagnostic &diagnostic) {
  diagnostic.getUnderlyingDiagnostic()->getMetadata().emplace_back(
      llvm::StringRef("unsupported"));
}

inline bool isUnsupported(mlir::Diagnostic &diagnostic) {
  return llvm::any_of(
      diagnostic.getMetadata(), [](mlir::DiagnosticArgument &argument) {
        return argument.getKind() ==
                   mlir::DiagnosticArgument::DiagnosticArgumentKind::String &&
               argument.getAsString() == "unsupported";
      });
}

} // namespace rubato

#endif // RUBATO_SUPPORT_UNSUPPORTED_H
