// The parameters a module was compiled with.
#ifndef RUBATO_TOOLS_INTERP_STOREDCELLS_H
#define RUBATO_TOOLS_INTERP_STOREDCELLS_H

#include "tools/rubato-interp/Value.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>

namespace rubato::interp {

/// Values of the parameter and frozen cells of `module` from the weights file
/// that it names, which lies in `directory`, in the types of the cells. Empty
/// where it names none; then cells start from a pattern.
llvm::FailureOr<std::map<std::string, Value>>
storedCells(mlir::ModuleOp module, llvm::StringRef directory);

} // namespace rubato::interp

#endif // RUBATO_TOOLS_INTERP_STOREDCELLS_H
