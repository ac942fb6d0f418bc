// The split of a batch by speeds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rubato::policy {

/// Splits `total` in proportion to `speeds`, which are positive and finite, by
/// largest remainder: each gets the whole part of its quota, and what is left
/// goes one by one to the largest remainders, the first of equals first. Each
/// gets at least 1 where there is enough for all: whose quota is less gets 1,
/// and the others share the rest.
std::vector<int64_t> splitBySpeed(int64_t total,
                                  std::span<const double> speeds);

} // namespace rubato::policy
