// What options of adaptive.dispatch make sense.
#include "policy/adaptive_options.h"

namespace rubato::policy {

Status AdaptiveOptions::validate() const {
  RB_TRY(scaling.validate());
  RB_TRY(merging.validate());
  if (megaBatch < 0 || totalSamples < 0 || warmupSamples < 0 || discarded < 0)
    return Status::user("adaptive.dispatch: the samples of a mega-batch, of "
                        "the run and of the warm-up, and the discarded "
                        "mega-batches must be at least 0");
  if (warmupBatch < 0 || warmupBatch > scaling.maxBatch ||
      warmupBatch % scaling.quantum != 0)
    return Status::user("adaptive.dispatch: the batch of the warm-up must be a "
                        "multiple of the quantum " +
                        std::to_string(scaling.quantum) +
                        ", at most the largest batch");
  return Status::ok();
}

} // namespace rubato::policy
