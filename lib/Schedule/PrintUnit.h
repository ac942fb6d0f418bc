// The entries of a unit as JSON: the body of its manifest.
#ifndef RUBATO_LIB_SCHEDULE_PRINTUNIT_H
#define RUBATO_LIB_SCHEDULE_PRINTUNIT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace rubato {

llvm::json::Value toJson(mlir::Attribute attribute);

/// A module that `sched-verify-unit` accepts, in the words of docs/unit.md.
llvm::json::Object printUnit(mlir::ModuleOp module);

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_PRINTUNIT_H
