// The program of accelerated gossip, part by part.
#ifndef RUBATO_SYNC_A2CID2PROGRAM_H
#define RUBATO_SYNC_A2CID2PROGRAM_H

#include "rubato/Sync/ProgramBuilder.h"

namespace rubato::a2cid2 {

/// The samples of all members are counted by the matcher in parts of the run's
/// budget, because its goal is written down before the budget is known. Below
/// 2^40 / members samples the count is exact.
inline constexpr int64_t kPartsOfBudget = int64_t(1) << 40;

struct Program {
  ProgramBuilder &b;
  const AlgorithmOptions &options;

  //===--------------------------------------------------------------------===//
  // A2cid2Parts.cpp: declarations, the start, the end
  //===--------------------------------------------------------------------===//

  void declare();
  /// @mix(x, xt, last, now, dt, eta): both variables, mixed up to now.
  void mixFunction();
  /// One model for all, and the first estimate of a gradient's time.
  void start();
  /// The average of all members' @w.
  mlir::Value average();

  //===--------------------------------------------------------------------===//
  // A2cid2.cpp: the strands
  //===--------------------------------------------------------------------===//

  void compute();
  void gossip();

private:
  struct Mixed {
    mlir::Value x, xt, now;
  };
  /// Mixes up to now; only in an atomic.
  Mixed mix(mlir::Value x, mlir::Value xt, mlir::Value last, mlir::Value dt,
            mlir::Value eta);
  void renewConstants(mlir::Value members);
  void applyGradient(const ProgramBuilder::Gradient &gradient,
                     mlir::Value members);
  /// Samples of this member as parts of the run's budget, rounded up.
  mlir::Value partsOfBudget(mlir::Value samples);
  /// Whether the computing strand goes on.
  mlir::Value takeTurn(mlir::Value live);
  mlir::Value smoothed(mlir::Value dt, mlir::Value period,
                       mlir::Value gradients);
  void measure(mlir::Value start);
  void averageWith(mlir::Value peer, mlir::Value tag);

  double rate() const { return options.real("rate"); }
};

} // namespace rubato::a2cid2

#endif // RUBATO_SYNC_A2CID2PROGRAM_H
