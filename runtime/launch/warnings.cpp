#include "launch/warnings.h"

#include <cmath>
#include <cstdio>
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

/// The setting "rate" of what decides for all; 0: there is none.
static double rateOf(const ProgramSpec &program) {
  for (const PolicySpec &policy : program.policies) {
    if (policy.placement != policy::Placement::Central)
      continue;
    for (const policy::NamedSetting &setting : policy.settings) {
      if (setting.name != "rate")
        continue;
      if (const auto *real = std::get_if<double>(&setting.value))
        return *real;
      if (const auto *whole = std::get_if<int64_t>(&setting.value))
        return static_cast<double>(*whole);
    }
  }
  return 0;
}

std::optional<std::string>
rubato::warnOfFewExchanges(const ProgramSpec &program, int members,
                           int64_t exchanges, int64_t gradients) {
  // Draws vary by as much in a short run.
  constexpr int64_t gradientsOfMember = 20;
  constexpr double few = 0.75;
  double rate = rateOf(program);
  if (exchanges == 0 || gradients < gradientsOfMember * members)
    return std::nullopt;
  double measured =
      static_cast<double>(exchanges) / static_cast<double>(gradients);
  if (measured >= few * rate)
    return std::nullopt;
  char text[320];
  std::snprintf(
      text, sizeof text,
      "%.3g averagings per gradient, and the program was made for %.3g: its "
      "constants belong to that rate, and unless it scales them replicas may "
      "drift apart instead of together; compile with rate=%.3g, or find out "
      "what holds averagings up",
      measured, rate, measured);
  return text;
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
