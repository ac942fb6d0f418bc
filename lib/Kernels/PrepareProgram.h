// Brings a program into the form that kernels are made from.
#ifndef RUBATO_LIB_KERNELS_PREPAREPROGRAM_H
#define RUBATO_LIB_KERNELS_PREPAREPROGRAM_H

#include "dialects/nn/TrainingSignature.h"

#include "mlir/IR/BuiltinOps.h"

namespace rubato {

class TargetModel;

/// Copies functions to where roles call them: `gradient`, or every one but
/// that. Each leaves a gsync.work behind.
void inlineGradients(mlir::ModuleOp module,
                     const nn::TrainingSignature &gradient);
void inlineOthers(mlir::ModuleOp module, const nn::TrainingSignature &gradient);

/// Lets numbers of the host enter tensors in one way only, as the elements of
/// a tensor of rank 0: splats and selections by a number of the host are
/// rewritten, so that kernels take tensors alone.
void bringNumbersIntoTensors(mlir::ModuleOp module);

/// Copies tensor constants and broadcasts into the blocks that use them.
void sinkFreeOperations(mlir::ModuleOp module);

/// What an atomic keeps in a cell and hands out as a value too is computed for
/// both, so that one kernel writes both.
void computeHandedOutValues(mlir::ModuleOp module);

/// Refuses what no native code can be made from, with the operation's place.
llvm::LogicalResult checkCompilable(mlir::ModuleOp module,
                                    const TargetModel &target);

} // namespace rubato

#endif // RUBATO_LIB_KERNELS_PREPAREPROGRAM_H
