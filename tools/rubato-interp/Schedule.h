// Runs a world to its end: in virtual time, or by random choices.
#ifndef RUBATO_TOOLS_INTERP_SCHEDULE_H
#define RUBATO_TOOLS_INTERP_SCHEDULE_H

#include "tools/rubato-interp/Machine.h"

namespace rubato::interp {

/// A member that dies when its first strand has done `step` visible steps of
/// round `round`.
struct Death {
  int rank = 0;
  int64_t round = 0, step = 0;
};

struct ScheduleOptions {
  int64_t maxSteps = 10'000'000;
  std::vector<Death> deaths;
};

/// Runs until every live member has ended; by virtual time if the machine is
/// timed, otherwise by choices drawn from the seed. A deadlock is reported
/// with what every strand waits for, and is a failure.
mlir::LogicalResult runToEnd(Machine &machine, World &world,
                             ScheduleOptions options);

/// One line per strand that is stuck.
void describeBlocked(Machine &machine, const World &world,
                     llvm::raw_ostream &os);

} // namespace rubato::interp

#endif // RUBATO_TOOLS_INTERP_SCHEDULE_H
