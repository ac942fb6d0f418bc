// The settings of adaptive model averaging that follow from its options and
// the model.
#ifndef RUBATO_SYNC_ADAPTIVESGDSETTINGS_H
#define RUBATO_SYNC_ADAPTIVESGDSETTINGS_H

#include "rubato/Sync/ProgramBuilder.h"

namespace rubato::adaptive_sgd {

struct Settings {
  /// Rows of a micro-batch, as the model was compiled for.
  int64_t rows = 0;
  int64_t quantum = 0, maxBatch = 0, minBatch = 0, megaBatch = 0;
  /// The batch that the learning rate belongs to.
  int64_t reference = 0;
  /// Updates after which a member stops asking for rows; 0: no limit.
  int64_t localSteps = 0;
  double gamma = 0;
  /// Whether weights may add up to something else than 1, and whether they
  /// depend on the norms of replicas.
  bool scaled = false, needsNorm = false;
  /// What the dispatcher is told.
  mlir::DictionaryAttr dispatch;

  /// Fills in what the options leave open; an error where they do not
  /// fit together.
  static mlir::FailureOr<Settings> get(const AlgorithmOptions &options,
                                       ProgramBuilder &b);
};

} // namespace rubato::adaptive_sgd

#endif // RUBATO_SYNC_ADAPTIVESGDSETTINGS_H
