#include "train/warnings.h"

#include <cmath>
#include <cstdlib>

using namespace rubato;

std::optional<std::string> rubato::warnOfLockedPairs(int64_t repeated,
                                                     int64_t exchanges) {
  constexpr double locked = 0.6;
  double share =
      exchanges ? static_cast<double>(repeated) / static_cast<double>(exchanges)
                : 0;
  if (share <= locked)
    return std::nullopt;
  return std::to_string(std::lround(100 * share)) +
         " % of the exchanges repeat the last pair: pairs are locked to each "
         "other, and the model mixes slowly; let averagings take less than a "
         "gradient, or choose a topology with more neighbours";
}

std::string rubato::warnOfUnusedWorker(int rank) {
  return "rank " + std::to_string(rank) +
         " was never used: nothing that it computed is in the model";
}

std::optional<std::string> rubato::warnOfLateMomentum(const Unit &unit) {
  auto momentum = unit.options.find("momentum");
  if (momentum == unit.options.end() ||
      std::atof(momentum->second.c_str()) <= 0)
    return std::nullopt;
  return "gradients are applied one round late, and momentum " +
         momentum->second +
         " makes up for no delay: it may swing; compile with a smaller "
         "--momentum";
}
