// Words after the program's name that do something else than train. An
// executable has those that its main hands over.
#pragma once

#include "unit/unit.h"

#include <span>

namespace rubato {

struct Command {
  const char *name;
  const char *usage; // what the help page writes behind the name
  /// `argv[0]` is the command's name; `program` is for help pages.
  Status (*run)(const Unit &unit, const char *program, int argc, char **argv,
                int &code);
};

using Commands = std::span<const Command>;

} // namespace rubato
