// Passes of the sync stage.
#ifndef RUBATO_SYNC_PASSES_H
#define RUBATO_SYNC_PASSES_H

#include "dialects/gsync/Gsync.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

namespace rubato {
#define GEN_PASS_DECL
#include "rubato/Sync/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "rubato/Sync/Passes.h.inc"
} // namespace rubato

#endif // RUBATO_SYNC_PASSES_H
