// The arithmetic of a run: how options and data make rounds.
#pragma once

#include "cli/options.h"

namespace rubato {

struct TrainPlan {
  int64_t samples = 0;     // of the data set
  int64_t globalBatch = 0; // samples per round
  int64_t quanta = 0;      // micro-batches per worker and round
  int64_t budget = 0;      // samples to see in all
  int64_t epochs = 0;      // 0: measured in steps
};

/// Micro-batches per worker; the global batch must divide.
Status planQuanta(const Unit &unit, const TrainOptions &options,
                  TrainPlan &plan);

/// The plan for a data set of `samples`. What takes no rounds by cursor has no
/// global batch, and without a count of epochs no end in samples. The
/// last round of an epoch takes what is left of it, so that none mixes epochs;
/// drawn with `replacement` all are full.
Status makePlan(const Unit &unit, const TrainOptions &options, int64_t samples,
                TrainPlan &plan, bool replacement = false);

/// Whether members of a program take parts of common rounds.
bool usesCursor(const ProgramSpec &program);

} // namespace rubato
