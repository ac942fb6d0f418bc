// The command line of `./train simulate`.
#pragma once

#include "cli/options.h"

namespace rubato {

struct SimulateOptions {
  TrainOptions train;        // data, length of the training, results
  std::string cluster, cost; // files, one of them
  std::optional<int64_t> workers;
  int64_t rounds = 0; // stop in this round of a member's first strand; 0: no
  std::optional<uint64_t> timingSeed;
  std::optional<double> observe; // seconds of virtual time
  std::optional<double> target;  // evaluation loss
  std::optional<double> scatter; // deviation of the members' first values
  std::optional<double> lr;      // unlike a real run's it may be 0
  std::string log, report;
  bool logCells = false;    // in the log
  bool replacement = false; // draw samples anew
  bool help = false;

  uint64_t seedOfTimes() const { return timingSeed.value_or(train.seed); }
};

/// Reads what follows `simulate`: argv[0] is that word.
Status parseSimulateOptions(const Unit &unit, int argc, char **argv,
                            SimulateOptions &options);

/// The page that `./train simulate --help` prints.
std::string simulateHelpText(const std::string &program);

} // namespace rubato
