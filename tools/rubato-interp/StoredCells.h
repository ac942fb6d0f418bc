// The parameters a module was compiled with.
#ifndef RUBATO_TOOLS_INTERP_STOREDCELLS_H
#define RUBATO_TOOLS_INTERP_STOREDCELLS_H

#include "tools/rubato-interp/Value.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>

namespace rubato::interp {

/// Values of the parameter and frozen cells of `module` from the weights file
/// that it names, which lies beside `path`. Empty where it names none or the
/// file cannot be read; then cells start from a pattern.
std::map<std::string, Value> storedCells(mlir::ModuleOp module,
                                         llvm::StringRef path);

} // namespace rubato::interp

#endif // RUBATO_TOOLS_INTERP_STOREDCELLS_H
