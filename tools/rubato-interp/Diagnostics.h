// How rubato-interp says what is wrong with a program.
#ifndef RUBATO_TOOLS_INTERP_DIAGNOSTICS_H
#define RUBATO_TOOLS_INTERP_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

namespace rubato::interp {

/// Prints `file:line:column: error: message` and its notes likewise. Operations
/// of compiled programs are located by names instead of lines; then the place
/// is `input`.
void printDiagnostic(mlir::Diagnostic &diagnostic, llvm::StringRef input);

} // namespace rubato::interp

#endif // RUBATO_TOOLS_INTERP_DIAGNOSTICS_H
