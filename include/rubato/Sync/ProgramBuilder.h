// What every algorithm needs to write its program: the training functions as
// calls, their types, and the cells that hold a model's state.
#ifndef RUBATO_SYNC_PROGRAMBUILDER_H
#define RUBATO_SYNC_PROGRAMBUILDER_H

#include "dialects/gsync/Gsync.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace rubato {

class ProgramBuilder : public mlir::ImplicitLocOpBuilder {
public:
  /// Reads the signatures of the training functions of `train`'s module.
  static mlir::FailureOr<ProgramBuilder> create(mlir::Operation *train);

  mlir::RankedTensorType flatType;           // parameters
  mlir::RankedTensorType counterType;        // tensor<i64>
  mlir::RankedTensorType rateType, lossType; // learning rate, sum
  llvm::SmallVector<mlir::Type> batchTypes;  // of one micro-batch
  llvm::SmallVector<mlir::Type> stateTypes;  // of the optimizer
  bool hasFrozen = false;

  /// Cells every algorithm has: @w, @state0…, @seen, @w_frozen where the model
  /// has frozen tensors, and the settings @budget and @base_lr.
  void addCells(double learningRate);

  mlir::Value load(llvm::StringRef cell, mlir::Type type);
  mlir::Value zero(mlir::Type type);
  mlir::Value constant(int64_t value);

  /// The next micro-batch and its gradient added to `acc`: calls @gradient.
  struct Gradient {
    mlir::Value sum, samples, loss;
  };
  Gradient addGradient(mlir::Value w, mlir::Value step, Gradient acc);

  /// One atomic update of @w, the optimizer's state and @seen by the summed
  /// gradient of `samples` samples.
  void update(mlir::Value sum, mlir::Value samples);

  /// True while @seen is below @budget and nobody asked to stop.
  mlir::Value withinBudget(mlir::Value stop);

private:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;
  mlir::Type frozenType;
};

} // namespace rubato

#endif // RUBATO_SYNC_PROGRAMBUILDER_H
