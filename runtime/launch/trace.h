// --device trace: the first round of rank 0, printed instead of executed.
#pragma once

#include "cli/options.h"

namespace rubato {

Status traceRound(const Unit &unit, const TrainOptions &options);

} // namespace rubato
