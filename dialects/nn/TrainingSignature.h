// What the arguments and results of the training functions are for.
#ifndef RUBATO_DIALECTS_NN_TRAININGSIGNATURE_H
#define RUBATO_DIALECTS_NN_TRAININGSIGNATURE_H

#include "dialects/nn/Nn.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace rubato::nn {

/// The functions of the train stage.
enum class TrainingKind { Gradient, Evaluate, Step, LearningRate };

/// The symbol of a training function.
llvm::StringRef symbolOf(TrainingKind kind);

/// A training function with its arguments and results by role. Their order in
/// the function means nothing; among several of one role it counts them.
class TrainingSignature {
public:
  /// Reads the training function `kind` of `module`. One that is missing, or
  /// whose roles or types are not those of its kind, is reported.
  static mlir::FailureOr<TrainingSignature> find(mlir::ModuleOp module,
                                                 TrainingKind kind);
  /// The same, and the function has one block that returns its results.
  static mlir::FailureOr<TrainingSignature> findDefined(mlir::ModuleOp module,
                                                        TrainingKind kind);

  mlir::FunctionOpInterface getFunction() const { return function; }
  /// An error at the function, which begins with its name.
  mlir::InFlightDiagnostic error() const;

  //===--------------------------------------------------------------------===//
  // Arguments
  //===--------------------------------------------------------------------===//

  /// The arguments of a role, by index.
  llvm::SmallVector<unsigned> indices(ArgumentRole role) const;
  bool has(ArgumentRole role) const { return !indices(role).empty(); }
  /// The only argument of a role, which the function has.
  unsigned index(ArgumentRole role) const;
  mlir::RankedTensorType type(ArgumentRole role) const;
  llvm::SmallVector<mlir::Type> types(ArgumentRole role) const;
  mlir::BlockArgument argument(ArgumentRole role) const;
  mlir::BlockArgument argument(unsigned index) const;
  ArgumentAttr role(unsigned index) const;
  /// What the user calls an input or a label; other roles are their own name.
  llvm::StringRef name(unsigned index) const;

  /// Inputs…, labels…, weights, ids: what gsync.next_batch gives, in its order.
  llvm::SmallVector<unsigned> batch() const;
  llvm::SmallVector<mlir::Type> batchTypes() const;
  /// Samples of one batch.
  int64_t batchSize() const;

  /// The operands of a call, of which `of` gives all of one role.
  llvm::SmallVector<mlir::Value>
  operands(llvm::function_ref<llvm::SmallVector<mlir::Value>(ArgumentRole)> of)
      const;

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  llvm::SmallVector<unsigned> indices(ResultRole role) const;
  /// The only result of a role, which the function has.
  unsigned index(ResultRole role) const;
  mlir::RankedTensorType type(ResultRole role) const;
  llvm::SmallVector<mlir::Type> types(ResultRole role) const;
  ResultAttr resultRole(unsigned index) const;
  /// What a defined function returns in a role.
  mlir::Value returned(ResultRole role) const;

private:
  explicit TrainingSignature(mlir::FunctionOpInterface function)
      : function(function) {}

  llvm::LogicalResult verifyRoles(TrainingKind kind) const;
  llvm::LogicalResult verifyTypes() const;
  llvm::LogicalResult verifyBatch() const;
  llvm::LogicalResult verifyState() const;

  mlir::FunctionOpInterface function;
};

/// Whether both take the same batch and frozen tensors, in the same order:
/// what fills the one's buffers fills the other's.
llvm::LogicalResult verifySameBatch(const TrainingSignature &gradient,
                                    const TrainingSignature &evaluate);

/// All of them, where each fits the others.
struct TrainingFunctions {
  TrainingSignature gradient, evaluate, step, learningRate;

  static mlir::FailureOr<TrainingFunctions> find(mlir::ModuleOp module);

private:
  llvm::LogicalResult verify() const;
};

} // namespace rubato::nn

#endif // RUBATO_DIALECTS_NN_TRAININGSIGNATURE_H
