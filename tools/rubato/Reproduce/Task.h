// The tasks of comparisons: models, data, and what is known of their optimum.
#ifndef RUBATO_TOOLS_RUBATO_REPRODUCE_TASK_H
#define RUBATO_TOOLS_RUBATO_REPRODUCE_TASK_H

#include "llvm/Support/Error.h"

#include <string>

/// 2000 rows of 30 numbers with an ill-conditioned spectrum (30 : 1) and noisy
/// labels. F is the mean of half the squared error.
struct LeastSquares {
  double curvature = 0;              // largest eigenvalue of the Hessian, L
  double optimum = 0;                // F*
  double gap = 0;                    // F(0) - F*
  std::string model, inputs, labels; // files

  /// The loss `mse` at which F - F* is `share` of what it was: mse is 2 F.
  double target(double share) const { return 2 * (optimum + share * gap); }
  /// The learning rate of `mse` that is a step of `factor` / L along F.
  double rate(double factor) const { return factor / curvature / 2; }
};

/// Writes model.onnx, x.npy and y.npy into a folder that exists: a realisation
/// of our own, or that of the reference to the last digits.
llvm::Expected<LeastSquares> writeLeastSquares(const std::string &folder,
                                               double noise, bool ofReference);

/// |w|² / 2 for 64 parameters, with normal noise of deviation 1 in the
/// gradients: the model is x + w, all labels are 0, the rows x are the noise.
struct Quadratic {
  static constexpr size_t size = 64;
  std::string model, inputs, labels;  // files
  std::string evalInputs, evalLabels; // one row: nobody looks at the loss

  /// The learning rate of `mse` that is a step of `step` along the quadratic.
  static double rate(double step) { return step * size / 2; }
};

/// Writes model and data into a folder that exists.
llvm::Expected<Quadratic> writeQuadratic(const std::string &folder);

#endif // RUBATO_TOOLS_RUBATO_REPRODUCE_TASK_H
