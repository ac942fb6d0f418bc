// --print-config: what is compiled in, and what the options make of it.
#pragma once

#include "launch/plan.h"

namespace rubato {

/// JSON for people and scripts. `plan` is null when no data were given.
std::string configText(const Unit &unit, const TrainOptions &options,
                       const TrainPlan *plan);

} // namespace rubato
