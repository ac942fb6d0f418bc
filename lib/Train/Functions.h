// The parts from which BuildTraining assembles the training functions.
#ifndef RUBATO_LIB_TRAIN_FUNCTIONS_H
#define RUBATO_LIB_TRAIN_FUNCTIONS_H

#include "dialects/nn/TrainingSignature.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace rubato {

/// An argument of a training function that is being made; inputs and labels
/// have names, labels of class indices also a number of classes.
struct TrainingArgument {
  nn::ArgumentRole role;
  mlir::Type type;
  std::string name = {};
  int64_t classes = 0;
};

struct TrainingResult {
  nn::ResultRole role;
  mlir::Type type;
};

/// A function with its roles, and an entry block that is still empty.
mlir::func::FuncOp createFunction(mlir::OpBuilder &b, mlir::Location loc,
                                  nn::TrainingKind kind,
                                  llvm::ArrayRef<TrainingArgument> arguments,
                                  llvm::ArrayRef<TrainingResult> results);

/// Which loss, and what it needs of the labels.
enum class LossKind { SoftmaxCrossEntropy, Mse };

/// The type of the label tensor for scores of type `scores`.
mlir::RankedTensorType labelType(LossKind loss, mlir::RankedTensorType scores);

/// How many classes a label may name; 0 where labels are no class indices.
int64_t classesOf(LossKind loss, mlir::RankedTensorType scores);

/// One loss per sample: tensor<batch x float>.
mlir::Value buildLoss(mlir::ImplicitLocOpBuilder &b, LossKind loss,
                      mlir::Value scores, mlir::Value labels);

/// How many samples of weight > 0 are classified right; 0 for regressions.
mlir::Value buildCorrect(mlir::ImplicitLocOpBuilder &b, LossKind loss,
                         mlir::Value scores, mlir::Value labels,
                         mlir::Value weights);

struct OptimizerOptions {
  std::string kind;
  double momentum, weightDecay, beta1, beta2, epsilon;
  bool nesterov, decoupled;
};

/// Adds `@step` for flat vectors of type `flat`.
mlir::func::FuncOp buildStep(mlir::ModuleOp module, mlir::RankedTensorType flat,
                             const OptimizerOptions &options);

struct ScheduleOptions {
  std::string kind;
  int64_t stepEvery;
  double stepFactor;
  int64_t warmup;
};

/// Adds `@lr`; the rate has the flat vectors' element type.
mlir::func::FuncOp buildLearningRate(mlir::ModuleOp module, mlir::Type element,
                                     const ScheduleOptions &options);

/// A rank-0 tensor repeated to `type`.
mlir::Value spread(mlir::ImplicitLocOpBuilder &b, mlir::Value scalar,
                   mlir::Type type);

} // namespace rubato

#endif // RUBATO_LIB_TRAIN_FUNCTIONS_H
