// Different first values for the members of a simulated run.
#pragma once

#include "program/member.h"

namespace rubato {

/// Adds an independent normal number of this deviation to each parameter of a
/// member, by seed, rank and index. A cell that is a copy of the parameters,
/// bit for bit, stays one.
void scatter(const Unit &unit, Member &member, double deviation, uint64_t seed);

} // namespace rubato
