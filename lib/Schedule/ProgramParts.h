// The parts of a synchronous program that a schedule is made from.
#ifndef RUBATO_LIB_SCHEDULE_PROGRAMPARTS_H
#define RUBATO_LIB_SCHEDULE_PROGRAMPARTS_H

#include "dialects/gsync/Gsync.h"
#include "dialects/nn/TrainingSignature.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace rubato {

/// One strand with at most one loop, one reduction and one update.
struct ProgramParts {
  gsync::StrandOp strand;
  gsync::RepeatOp repeat; // null: no accumulation
  gsync::AllReduceOp reduce;
  gsync::AwaitOp await;
  gsync::AtomicOp update;
  mlir::func::FuncOp gradient, evaluate;
  nn::LayoutOp layout;

  /// Kernel calls in launch order: the loop's body, the round up to the
  /// reduction, the update, the evaluation.
  llvm::SmallVector<mlir::func::CallOp> accumulateCalls, roundCalls,
      updateCalls, evaluateCalls;

  /// Finds the parts, or says what this scheduler cannot do.
  static mlir::FailureOr<ProgramParts> find(mlir::ModuleOp module);
};

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_PROGRAMPARTS_H
