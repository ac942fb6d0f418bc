// Passes of the train stage.
#ifndef RUBATO_TRAIN_PASSES_H
#define RUBATO_TRAIN_PASSES_H

#include "dialects/nn/Nn.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace rubato {
#define GEN_PASS_DECL
#include "rubato/Train/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "rubato/Train/Passes.h.inc"
} // namespace rubato

#endif // RUBATO_TRAIN_PASSES_H
