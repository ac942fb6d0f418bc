// The train stage: an inference graph becomes training functions.
#ifndef RUBATO_TRAIN_PASSES_TD
#define RUBATO_TRAIN_PASSES_TD

include "mlir/Pass/PassBase.td"

def BuildTraining : Pass<"build-training", "::mlir::ModuleOp"> {
  let summary = "Turns @forward into @gradient, @evaluate, @step and @lr";
  let description = [{
    Appends the loss, differentiates in reverse mode and writes the optimizer
    and the learning-rate schedule as ordinary functions over flat vectors:

    | function | arguments by role | results by role |
    |---|---|---|
    | `@gradient` | parameters, frozen where there are, a batch, step, accumulator | gradient (accumulator + sum over samples), samples, divisor, loss (sum) |
    | `@evaluate` | parameters, frozen where there are, a batch | loss (sum), correct, valid |
    | `@step` | parameters, state…, gradient, divisor, rate | displacement, state… |
    | `@lr` | seen, samples, base_rate, budget | rate |

    Each argument and result says its role (`nn.role`), and each input and label
    the user's name (`nn.name`); others read them through
    `nn::TrainingSignature`, never by position.

    All are pure, and public: they are what the module offers, so no upstream
    pass drops one that the program does not call. A batch is inputs…, labels…
    (of class indices: with the number of classes), weights (0 marks padding)
    and sample ids. Gradients are sums, never means;
    `divisor` is what `@step` divides them by: the weight of what was summed, which
    is the number of samples where a sample has one label. Counts are i64 and
    losses f64. The layout `@params` orders slots by the
    readiness of their gradients; `@frozen` holds what training leaves alone.

    Before: `func.func @forward(%x) -> %logits` with `nn.get` of parameters.
    After: the functions above with `nn.unpack` of `%w`, and no `@forward`.

    Operations without a gradient rule on a path from a parameter to the loss
    are reported together, each with its node name.
  }];
  let options = [
    Option<"loss", "loss", "std::string", /*default=*/"\"softmax-cross-entropy\"",
           "softmax-cross-entropy or mse">,
    Option<"optimizer", "optimizer", "std::string", "\"sgd\"", "sgd or adamw">,
    Option<"momentum", "momentum", "double", "0.0", "momentum of sgd">,
    Option<"nesterov", "nesterov", "bool", "false", "Nesterov's form of momentum">,
    Option<"weightDecay", "weight-decay", "double", "0.0", "weight decay">,
    Option<"decoupled", "decoupled-weight-decay", "bool", "false",
           "decay the weights directly instead of through the gradient (always so in adamw)">,
    Option<"beta1", "beta1", "double", "0.9", "adamw: decay of the first moment">,
    Option<"beta2", "beta2", "double", "0.999", "adamw: decay of the second moment">,
    Option<"epsilon", "epsilon", "double", "1e-8", "adamw: term in the denominator">,
    Option<"schedule", "schedule", "std::string", "\"constant\"", "constant, step or cosine">,
    Option<"stepEvery", "step-every", "int64_t", "0", "step: samples between two steps">,
    Option<"stepFactor", "step-factor", "double", "0.1", "step: factor of each step">,
    Option<"warmup", "warmup", "int64_t", "0", "linear warm-up over this many samples">
  ];
  let dependentDialects = ["::rubato::nn::NnDialect", "::mlir::func::FuncDialect"];
}

def VerifyTrain : Pass<"verify-train", "::mlir::ModuleOp"> {
  let summary = "States the contract of the train stage";
  let description = [{
    The four training functions exist, every argument and result has a role of
    its function, every role is there as often as the function needs it, types
    agree within and between the functions, `@params` and `@frozen` describe
    their flat vectors, and no `nn.get` or `@forward` is left. Run it after editing a train-stage file by hand.
  }];
}

#endif // RUBATO_TRAIN_PASSES_TD
