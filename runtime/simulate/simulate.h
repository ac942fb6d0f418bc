// `./train simulate`: the members of a described cluster in this process.
#pragma once

#include "cli/command.h"

namespace rubato {

/// `argv[0]` is the word simulate; `program` is for the help page.
Status simulate(const Unit &unit, const char *program, int argc, char **argv,
                int &code);

inline constexpr Command simulateCommand = {
    "simulate", "CLUSTER.toml OPTIONS   (see simulate --help)", simulate};

} // namespace rubato
