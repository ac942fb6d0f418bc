// What every algorithm needs to write its program: the training functions as
// calls, their types, and the cells that hold a model's state.
#ifndef RUBATO_SYNC_PROGRAMBUILDER_H
#define RUBATO_SYNC_PROGRAMBUILDER_H

#include "dialects/gsync/Gsync.h"
#include "dialects/nn/TrainingSignature.h"
#include "rubato/Sync/Algorithm.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace rubato {

class ProgramBuilder : public mlir::ImplicitLocOpBuilder {
public:
  /// Reads the signatures of the training functions of `train`'s module.
  static mlir::FailureOr<ProgramBuilder> create(gsync::TrainOp train);

  /// An error at gsync.train: an option, the model or the optimizer does not
  /// fit.
  mlir::InFlightDiagnostic emitOpError(const llvm::Twine &message = {}) {
    return train.emitOpError(message);
  }

  mlir::ModuleOp module;
  mlir::RankedTensorType flatType;           // parameters
  mlir::RankedTensorType counterType;        // tensor<i64>
  mlir::RankedTensorType rateType, lossType; // learning rate, sum
  llvm::SmallVector<mlir::Type> batchTypes;  // of one micro-batch
  int64_t quantum = 0;                       // samples of one micro-batch
  llvm::SmallVector<mlir::Type> stateTypes;  // of the optimizer

  /// Whether the flat vector holds more than parameters.
  bool hasStatistics();

  /// Cells every algorithm has: @w, @state0…, @seen, @w_frozen where the model
  /// has frozen tensors, and the settings @budget and @base_lr. Without
  /// `keepState` the optimizer's state does not outlive a round.
  void addCells(bool keepState = true);

  /// Declares one cell more, of role state.
  void addState(llvm::StringRef name, mlir::Type type);

  //===--------------------------------------------------------------------===//
  // Parts of programs
  //===--------------------------------------------------------------------===//

  /// Writes the inside of a region; the arguments are the region's.
  using Body = llvm::function_ref<void(mlir::ValueRange)>;

  gsync::RoleOp role(llvm::StringRef name, llvm::StringRef group,
                     llvm::function_ref<void()> body, bool onHost = false);
  void init(Body body);
  void strand(Body body, mlir::TypeRange carried = {},
              llvm::StringRef label = {});
  void drain(Body body, mlir::TypeRange carried = {});
  void model(Body body);
  /// The usual model: the cell @w.
  void modelOfCell();

  /// `gsync.repeat`; the body gets the index and the carried values, and gives
  /// the next ones. Results: carried values, then the count.
  using Iterate = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value index, mlir::ValueRange)>;
  mlir::ValueRange repeat(mlir::Value until, mlir::Value atLeast,
                          mlir::Value atMost, mlir::ValueRange inits,
                          Iterate body);

  /// `gsync.atomic`: the body gets the cells' values and gives their new ones
  /// and the atomic's results.
  struct AtomicResult {
    llvm::SmallVector<mlir::Value> cells, values = {};
  };
  using Change = llvm::function_ref<AtomicResult(mlir::ValueRange)>;
  gsync::AtomicOp atomic(llvm::ArrayRef<std::string> cells, Change body,
                         mlir::TypeRange results = {});

  /// `scf.if`, both sides giving values of `types`.
  mlir::ValueRange
  choose(mlir::Value condition, mlir::TypeRange types,
         llvm::function_ref<llvm::SmallVector<mlir::Value>()> yes,
         llvm::function_ref<llvm::SmallVector<mlir::Value>()> no);
  /// `scf.if` without values.
  void when(mlir::Value condition, llvm::function_ref<void()> body);

  /// Declares a policy; entries are names and types.
  using Entries =
      llvm::ArrayRef<std::pair<llvm::StringRef, mlir::FunctionType>>;
  void policy(llvm::StringRef name, llvm::StringRef kind,
              gsync::Placement placement,
              llvm::ArrayRef<mlir::NamedAttribute> settings, Entries entries);
  mlir::ValueRange ask(llvm::StringRef policy, llvm::StringRef entry,
                       mlir::ValueRange inputs, mlir::TypeRange answers);

  /// `gsync.all_reduce sum`; `await` gives its sums.
  mlir::Value allReduce(llvm::StringRef channel, mlir::ValueRange values);
  mlir::ValueRange await(mlir::Value future);

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  mlir::Value load(llvm::StringRef cell, mlir::Type type);
  /// The type of a cell that was declared in this program.
  mlir::Type cellType(llvm::StringRef cell);
  mlir::Value load(llvm::StringRef cell) { return load(cell, cellType(cell)); }
  mlir::Value zero(mlir::Type type);
  mlir::Value constant(int64_t value);
  mlir::Value constant(double value);
  mlir::Value constant(bool value);
  /// The scalar in a tensor of rank 0, and the other way round.
  mlir::Value extract(mlir::Value scalar);
  mlir::Value wrap(mlir::Value scalar);
  /// A tensor of type `like` with the same host scalar (f64 or i64) everywhere,
  /// converted to its element type.
  mlir::Value fill(mlir::Value scalar, mlir::Type like);
  /// A host scalar (i64 or f64) as f64.
  mlir::Value toReal(mlir::Value scalar);
  /// A count in a tensor of rank 0, as what a sum is divided by: at least one,
  /// for where nothing was counted the sum is zero, and so is its mean.
  mlir::Value divisorOf(mlir::Value count);

  /// A sum over `samples` samples. Budgets, schedules, votes and policies go by
  /// samples; means of gradient and loss by `divisor`, the weight of what was
  /// summed, which may be labels of a sample or none.
  struct Gradient {
    mlir::Value sum, samples, divisor, loss;

    /// As what loops carry and reductions take, and back from the first of such
    /// values.
    llvm::SmallVector<mlir::Value> values() const {
      return {sum, samples, divisor, loss};
    }
    static Gradient of(mlir::ValueRange values) {
      return {values[0], values[1], values[2], values[3]};
    }
  };
  /// The next micro-batch and its gradient added to `acc`: calls @gradient.
  Gradient addGradient(mlir::Value w, mlir::Value step, Gradient acc);
  /// The same on a batch that was taken by other means.
  Gradient addGradient(mlir::Value w, mlir::Value step, Gradient acc,
                       mlir::ValueRange batch);
  Gradient noGradient();
  /// Sums gradients of all members on a channel. The await gives
  /// `gradientSums`: those of the gradient, then the number of requests to
  /// stop.
  mlir::Value sumGradients(llvm::StringRef channel, const Gradient &gradient);
  llvm::SmallVector<mlir::Type> gradientSums() const {
    return {flatType, counterType, counterType, lossType, counterType};
  }
  /// The gradient of this member's part of the round by cursor, as many
  /// micro-batches as the run asks for.
  Gradient roundGradient(mlir::Value w, mlir::Value step);

  /// The mean loss of all training samples at `w`, as an f64: calls @evaluate
  /// on one micro-batch of the data set after the other.
  mlir::Value meanLoss(mlir::Value w);

  /// Calls @lr with the settings of the run.
  mlir::Value learningRate(mlir::Value seen, mlir::Value samples);
  /// Calls @step.
  struct Stepped {
    mlir::Value displacement;
    llvm::SmallVector<mlir::Value> state; // of the optimizer, behind the step
  };
  Stepped step(mlir::Value w, mlir::ValueRange state, const Gradient &gradient,
               mlir::Value rate);
  /// @w, @state0…, @seen: what an update changes.
  llvm::SmallVector<std::string> modelCells();

  /// One atomic update of @w, the optimizer's state and @seen by a summed
  /// gradient. `rate` may change the learning rate, `state` the optimizer's
  /// state, and `sum` the sum, by the model, before they are used. The results,
  /// where asked for, are the new @w and @seen.
  gsync::AtomicOp update(
      const Gradient &gradient,
      llvm::function_ref<mlir::Value(mlir::Value)> rate = {},
      llvm::function_ref<void(llvm::MutableArrayRef<mlir::Value>)> state = {},
      llvm::function_ref<mlir::Value(mlir::Value)> sum = {},
      bool withResults = false);

  /// True while @seen is below @budget and nobody asked to stop.
  mlir::Value withinBudget(mlir::Value stop);

private:
  ProgramBuilder(gsync::TrainOp train, nn::TrainingFunctions functions);

  /// What a call of a training function gives, by role.
  struct Results {
    nn::TrainingSignature callee;
    mlir::ValueRange values;

    mlir::Value only(nn::ResultRole role) const {
      return values[callee.index(role)];
    }
    llvm::SmallVector<mlir::Value> all(nn::ResultRole role) const;
  };
  Results
  call(const nn::TrainingSignature &callee,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(nn::ArgumentRole)>
           operands);
  /// What @gradient and @evaluate have in common.
  llvm::SmallVector<mlir::Value>
  modelOrBatch(nn::ArgumentRole role, mlir::Value w, mlir::ValueRange batch);
  mlir::Value learningRate(mlir::Value seen, mlir::Value samples,
                           mlir::Value base, mlir::Value budget);

  gsync::TrainOp train;
  nn::TrainingFunctions functions;
};

} // namespace rubato

#endif // RUBATO_SYNC_PROGRAMBUILDER_H
