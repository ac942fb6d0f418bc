// Options of the staleness rule: which values have a meaning.
#include "policy/staleness_options.h"

#include "policy/settings.h"

#include <cmath>

namespace rubato::policy {

static Status refuse(const char *option, const char *remedy) {
  return badSetting("staleness.rule", option, remedy);
}

Status StalenessOptions::check() const {
  // Written so that a NaN fails every comparison.
  if (k0 && *k0 < 1)
    return refuse("k0", "at least 1, \"all\" or \"auto\"");
  if (bound && *bound < 0)
    return refuse("bound", "0 or more, \"unlimited\" or \"auto\"");
  if (!(alpha > 0 && std::isfinite(alpha)))
    return refuse("alpha", "a positive number");
  if (boundFloor < 0)
    return refuse("bound-floor", "0 or more");
  if (!(guardRatio > 1 && std::isfinite(guardRatio)))
    return refuse("guard-ratio", "a number above 1");
  if (!(smoothing >= 0 && smoothing < 1))
    return refuse("smoothing", "at least 0 and below 1");
  if (initialLoss && !std::isfinite(*initialLoss))
    return refuse("initial-loss", "a finite number or \"auto\"");
  if (!std::isfinite(lossFloor))
    return refuse("loss-floor", "a finite number");
  if (maxSamples && *maxSamples < 1)
    return refuse("max-samples", "at least 1 or \"auto\"");
  if (targetLoss && !std::isfinite(*targetLoss))
    return refuse("target-loss", "a finite number or \"auto\"");
  return Status::ok();
}

} // namespace rubato::policy
