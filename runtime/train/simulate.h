// `./train simulate`: the members of a described cluster in this process.
#pragma once

#include "abi/unit.h"

namespace rubato {

/// `argv[0]` is the word simulate; `program` is for the help page.
Status simulate(const Unit &unit, const char *program, int argc, char **argv,
                int &code);

} // namespace rubato
