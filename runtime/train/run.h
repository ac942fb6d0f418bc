// The program ./train.
#pragma once

#include "abi/rubato_abi.h"

namespace rubato {

/// Trains `code` as the command line says; returns the exit code.
int runTraining(const rb_unit &code, int argc, char **argv);

} // namespace rubato
