// A unit that is one synchronous round, seen as a program of one strand.
#pragma once

#include "abi/unit.h"

namespace rubato {

/// The name of the one channel that a synchronous round has.
inline constexpr char synchronousChannel[] = "grads";

/// The same unit with a program: one role, one strand whose rounds all members
/// share, one channel for its reductions. Each member has a result region of
/// its own. `unit` has none.
Status asProgram(const Unit &unit, Unit &program);

/// Whether a unit was made so: its one function is rb_unit::round.
bool isSynchronous(const Unit &unit);

} // namespace rubato
