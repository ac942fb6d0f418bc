// The command `replay`: a recorded run once more, in one process.
#pragma once

#include "cli/command.h"
#include "launch/job.h"
#include "program/run_log.h"

namespace rubato {

/// `./train replay FILE.log [OPTIONS]`, as main has got it; `commands` are for
/// the help page.
Status replay(const Unit &unit, int argc, char **argv, Commands commands);

/// Runs all members to their end as the log says, and writes what the options
/// want. `events`: how many were replayed.
Status replayMembers(Job &job, const RunLog &log, int64_t &events);

} // namespace rubato
