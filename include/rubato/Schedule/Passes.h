// Passes of the schedule stage.
#ifndef RUBATO_SCHEDULE_PASSES_H
#define RUBATO_SCHEDULE_PASSES_H

#include "dialects/sched/Sched.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace rubato {

#define GEN_PASS_DECL
#include "rubato/Schedule/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "rubato/Schedule/Passes.h.inc"

} // namespace rubato

#endif // RUBATO_SCHEDULE_PASSES_H
