// `rubato-interp --exhaustive`.
#ifndef RUBATO_TOOLS_INTERP_EXPLORECOMMAND_H
#define RUBATO_TOOLS_INTERP_EXPLORECOMMAND_H

#include "tools/rubato-interp/Explore.h"

#include "llvm/Support/CommandLine.h"

namespace rubato::interp {

/// The options of the exhaustive mode.
struct ExploreFlags {
  explicit ExploreFlags(llvm::cl::OptionCategory &category);

  llvm::cl::opt<bool> exhaustive;
  llvm::cl::opt<int> deaths, stops;
  llvm::cl::opt<int64_t> maxStates, maxMemory;
  llvm::cl::opt<bool> noReduction;
};

/// Explores and reports; the exit code. `log` gets the events of the trace to
/// what is wrong.
int exploreCommand(Machine &machine, const ExploreFlags &flags, EventLog *log);

} // namespace rubato::interp

#endif // RUBATO_TOOLS_INTERP_EXPLORECOMMAND_H
