// Which cores the members of a run keep to.
#pragma once

#include "support/status.h"

#include <string>
#include <vector>

namespace rubato {

using Cores = std::vector<int>;

/// The cores that this thread may run on, ascending: what cgroups, taskset and
/// the like have left.
Cores allowedCores();

/// The cores of each member; empty ones are free to use all. Members that
/// compute get shares of their own, in order, and those that mostly wait
/// (`true` in `waiting`) get none. With fewer cores than members nobody gets
/// one.
std::vector<Cores> placeMembers(const Cores &cores,
                                const std::vector<bool> &waiting);

/// Keeps this thread, and those that it starts from now on, to its cores. None:
/// changes nothing.
Status keepTo(const Cores &cores);

/// "rank 0 on 0-3, rank 1 on 4-7", or that all share so many.
std::string describePlaces(const std::vector<Cores> &places, size_t cores);

} // namespace rubato
