// The options of `rubato-interp --exhaustive`, and what it says at the end.
#include "tools/rubato-interp/ExploreCommand.h"

#include "llvm/Support/Format.h"

#include <chrono>
#include <sys/resource.h>

namespace cl = llvm::cl;

namespace rubato::interp {

ExploreFlags::ExploreFlags(cl::OptionCategory &category)
    : exhaustive("exhaustive",
                 cl::desc("explore all interleavings of the program's control, "
                          "with a stop and a death at every point"),
                 cl::cat(category)),
      deaths("deaths", cl::desc("exhaustive: members that may die, 0 or 1"),
             cl::init(1), cl::cat(category)),
      stops("stops",
            cl::desc("exhaustive: members that may be asked to stop before "
                     "--rounds says so, 0 or 1"),
            cl::init(1), cl::cat(category)),
      maxStates("max-states",
                cl::desc("exhaustive: give up after so many states"),
                cl::init(5'000'000), cl::cat(category)),
      maxMemory("max-memory",
                cl::desc("exhaustive: give up with more than so many MiB"),
                cl::init(6000), cl::value_desc("MiB"), cl::cat(category)),
      noReduction("no-reduction",
                  cl::desc("exhaustive: also explore orders of steps that "
                           "commute"),
                  cl::cat(category)) {}

/// The most memory that this process has held, in MiB.
static int64_t peakMemory() {
  rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss / 1024 : 0;
}

int exploreCommand(Machine &machine, const ExploreFlags &flags, EventLog *log) {
  if (flags.deaths < 0 || flags.deaths > 1 || flags.stops < 0 ||
      flags.stops > 1 || flags.maxStates < 1 ||
      flags.maxStates > int64_t(UINT32_MAX) - 1 || flags.maxMemory < 1) {
    llvm::errs() << "error: --deaths and --stops must be 0 or 1, --max-states "
                    "1 to 4294967294, --max-memory at least 1\n";
    return int(ErrorCode::Usage);
  }
  if (machine.config.rounds == 0) {
    llvm::errs() << "error: --exhaustive needs --rounds: after how many rounds "
                    "all are asked to stop\n";
    return int(ErrorCode::Usage);
  }
  machine.setLog(nullptr);
  machine.config.abstract = true;
  machine.config.timed = false;
  // Enough that every batch is a full one.
  machine.config.samples = machine.program.batch * 4096;
  ExploreOptions options;
  options.deaths = flags.deaths;
  options.stops = flags.stops;
  options.maxStates = flags.maxStates;
  options.maxMemory = flags.maxMemory;
  options.reduce = !flags.noReduction;
  Explorer explorer(machine, options);
  auto begin = std::chrono::steady_clock::now();
  ExploreResult result = explorer.run();
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  if (result.violation) {
    explorer.print(*result.violation, llvm::errs(), log);
  } else if (!result.finished) {
    llvm::errs() << "error: not finished: more than ";
    if (result.outOfMemory)
      llvm::errs() << options.maxMemory << " MiB; raise --max-memory";
    else
      llvm::errs() << options.maxStates << " states; raise --max-states";
    llvm::errs() << ", or take fewer --ranks or --rounds, --deaths 0, or "
                    "smaller batches and fewer local steps by "
                    "--algorithm-option\n";
  } else {
    llvm::outs() << "no deadlock, no lost future, no error: ";
  }
  llvm::raw_ostream &os =
      result.violation || !result.finished ? llvm::errs() : llvm::outs();
  os << result.states << " states, " << result.transitions
     << " transitions, depth " << result.depth << ", "
     << llvm::format("%.1f", seconds.count()) << " s, " << peakMemory()
     << " MiB\n";
  return result.violation || !result.finished ? int(ErrorCode::User) : 0;
}

} // namespace rubato::interp
