// The command line of ./train, parsed against the unit it trains.
#pragma once

#include "cli/command.h"
#include "data/dataset.h"
#include "device/device.h"
#include "fabric/fabric.h"
#include "unit/unit.h"

#include <map>
#include <optional>
#include <string>

namespace rubato {

/// How the members of a program run.
enum class FabricKind { Threads, Processes };

struct TrainOptions {
  DatasetFiles train, eval;
  int64_t workers = 1;
  int64_t globalBatch = 0; // 0: one micro-batch per worker
  std::optional<int64_t> epochs, steps;
  std::optional<double> seconds;    // of training
  std::map<int64_t, double> slow;   // factors by rank
  std::optional<FabricKind> fabric; // of programs; processes if not given
  std::optional<RateLimit> link;    // of programs
  bool affinity = true;             // members get cores of their own
  std::optional<double> lr;
  uint64_t seed = 0;
  bool shuffle = true;
  std::optional<int64_t> evalEvery; // epochs; 1 if not given
  std::string save, metrics, timeline, dumpParameters, dumpGradients;
  std::string record; // the log of a run of a program
  DeviceKind device = DeviceKind::Cpu;
  std::optional<int64_t> deviceSeed; // of `apart`; 0 if not given
  double deadline = 60;              // seconds
  bool printConfig = false, quiet = false, help = false, version = false;
};

/// Reads the arguments. An error has the code Usage and suggests the nearest
/// name where one was misspelt.
Status parseOptions(const Unit &unit, int argc, char **argv,
                    TrainOptions &options);

/// The names of all options, without the dashes.
std::vector<std::string> optionNames();

/// The page that --help prints.
std::string helpText(const Unit &unit, const std::string &program,
                     Commands commands);

/// The string of `names` that is nearest to `name`, or "" when none is near.
std::string nearestName(const std::string &name,
                        const std::vector<std::string> &names);

} // namespace rubato
