// Passes of the import stage.
#ifndef RUBATO_IMPORT_PASSES_H
#define RUBATO_IMPORT_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace rubato {
#define GEN_PASS_DECL
#include "rubato/Import/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "rubato/Import/Passes.h.inc"
} // namespace rubato

#endif // RUBATO_IMPORT_PASSES_H
