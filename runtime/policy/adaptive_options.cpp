// What options of adaptive.dispatch make sense.
#include "policy/adaptive_options.h"

#include "policy/settings.h"

#include <utility>

namespace rubato::policy {

Status AdaptiveOptions::validate() const {
  RB_TRY(scaling.validate());
  RB_TRY(merging.validate());
  const std::pair<const char *, int64_t> counts[] = {
      {"mega-batch", megaBatch},
      {"total-samples", totalSamples},
      {"warmup-samples", warmupSamples},
      {"discarded", discarded}};
  for (auto [setting, value] : counts)
    if (value < 0)
      return badSetting("adaptive.dispatch", setting, "at least 0");
  if (warmupBatch < 0 || warmupBatch > scaling.maxBatch ||
      warmupBatch % scaling.quantum != 0)
    return badSetting(
        "adaptive.dispatch", "warmup-batch",
        "a multiple of the quantum " + std::to_string(scaling.quantum) +
            ", at most the largest batch " + std::to_string(scaling.maxBatch));
  return Status::ok();
}

} // namespace rubato::policy
