// What a user may choose when compiling; kept in the module with every stage.
#ifndef RUBATO_DRIVER_COMPILEOPTIONS_H
#define RUBATO_DRIVER_COMPILEOPTIONS_H

#include "rubato/Sync/Algorithms.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace rubato {

/// One field per option. `visit` is the single list of them: command line,
/// module attribute and help text are made from it.
struct CompileOptions {
  // import
  int64_t batch = 64;
  std::vector<std::string> dims, trainOnly, freeze;
  std::string floatType = "f32";
  // train
  std::string loss = "softmax-cross-entropy", optimizer = "sgd";
  double momentum = 0.0, weightDecay = 0.0;
  bool nesterov = false, decoupledWeightDecay = false;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double lr = 0.01;
  std::string schedule = "constant";
  int64_t stepEvery = 0, warmup = 0;
  double stepFactor = 0.1;
  // sync
  std::string algorithm = defaultAlgorithm();
  std::vector<std::string> algorithmOptions;
  // kernels, schedule, target
  std::string target = "cpu", kernels = "fast", march = "x86-64-v3";
  int64_t bucketBytes = 0; // as the target likes
  bool wholeReductions = false;

  template <typename Visitor> void visit(Visitor &&v) {
    v("batch", batch, "samples in one micro-batch (the quantum)");
    v("dim", dims, "size of a symbolic dimension: NAME=VALUE");
    v("train-only", trainOnly, "train only these tensors (names, * and ?)");
    v("freeze", freeze, "do not train these tensors (names, * and ?)");
    v("float", floatType, "f32 or f64 (f64 needs --kernels=reference)");
    v("loss", loss, "softmax-cross-entropy or mse");
    v("optimizer", optimizer, "sgd or adamw");
    v("momentum", momentum, "sgd: momentum");
    v("nesterov", nesterov, "sgd: Nesterov's form of momentum");
    v("weight-decay", weightDecay, "weight decay");
    v("decoupled-weight-decay", decoupledWeightDecay,
      "sgd: decay the weights directly, not through the gradient");
    v("beta1", beta1, "adamw: decay of the first moment");
    v("beta2", beta2, "adamw: decay of the second moment");
    v("epsilon", epsilon, "adamw: term in the denominator");
    v("lr", lr, "learning rate (./train --lr overrides it)");
    v("schedule", schedule, "of the learning rate: constant, step or cosine");
    v("step-every", stepEvery, "schedule step: samples between two steps");
    v("step-factor", stepFactor, "schedule step: factor of each step");
    v("warmup", warmup, "linear warm-up over this many samples");
    v("algorithm", algorithm, "how workers synchronise (rubato explain)");
    v("algorithm-option", algorithmOptions,
      "constant of the algorithm: NAME=VALUE (rubato explain ALGORITHM)");
    v("target", target, "what the executable runs on: cpu");
    v("kernels", kernels, "fast, or reference (plain loops)");
    v("march", march, "processor: x86-64-v3, native, …");
    v("bucket-bytes", bucketBytes, "size at which a gradient bucket is closed");
    v("whole-reductions", wholeReductions,
      "no buckets: a reduction starts when all of its operand is there");
  }

  /// Writes all options into the module's `rubato.options`.
  void record(mlir::ModuleOp module);

  /// Takes the options a file was made with. An option in `given` that the
  /// file contradicts is an error.
  mlir::LogicalResult restore(mlir::ModuleOp module,
                              llvm::ArrayRef<std::string> given);
};

} // namespace rubato

#endif // RUBATO_DRIVER_COMPILEOPTIONS_H
