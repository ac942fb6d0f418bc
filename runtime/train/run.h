// The program ./train.
#pragma once

#include "abi/rubato_abi.h"
#include "cli/command.h"

namespace rubato {

/// Trains `code`, or runs one of `commands`, as the command line says; returns
/// the exit code.
int runTraining(const rb_unit &code, int argc, char **argv, Commands commands);

} // namespace rubato
