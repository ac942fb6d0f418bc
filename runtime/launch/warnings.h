// What is said to people whose run suffers from its algorithm, real or
// simulated.
#pragma once

#include "unit/unit.h"

#include <optional>
#include <string>

namespace rubato {

/// `repeated` of `exchanges` were with the same partner as the one before.
std::optional<std::string> warnOfLockedPairs(int64_t repeated,
                                             int64_t exchanges);

/// Fewer exchanges per gradient, each counted at both ends, than the rate that
/// the program's decider was given; not told of short runs, and of programs
/// whose deciders know no rate.
std::optional<std::string> warnOfFewExchanges(const ProgramSpec &program,
                                              int members, int64_t exchanges,
                                              int64_t gradients);

/// Nothing of this worker is in the model.
std::string warnOfUnusedWorker(int rank);

/// Momentum, where gradients are applied one round late.
std::optional<std::string> warnOfLateMomentum(const Unit &unit);

} // namespace rubato
