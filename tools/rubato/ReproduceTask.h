// The least-squares task of a comparison: its model, its data, its optimum.
#ifndef RUBATO_TOOLS_RUBATO_REPRODUCETASK_H
#define RUBATO_TOOLS_RUBATO_REPRODUCETASK_H

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

/// Writes model.onnx, x.npy and y.npy into a folder that exists.
llvm::Expected<LeastSquares> writeLeastSquares(const std::string &folder,
                                               double noise);

#endif // RUBATO_TOOLS_RUBATO_REPRODUCETASK_H
