// rubato reproduce: the comparison that a paper claims, with the real compiler
// and simulated clusters.
#include "Commands.h"
#include "Reproduce/Compare.h"
#include "Reproduce/Gossip.h"
#include "Reproduce/Page.h"

#include "rubato/Driver/CompileOptions.h"
#include "rubato/Support/Register.h"
#include "rubato/Target/TargetModel.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include <chrono>
#include <thread>

using namespace llvm;

namespace {

constexpr const char *kHelp =
    R"(Repeats the comparison that a paper claims: writes a task, compiles it for
every algorithm, simulates clusters and says whether the claim holds.

Usage: rubato reproduce PAPER [options]

Papers:
  a2cid2              acceleration of pairwise averaging on rings
  abs-sgd             adaptive batches against synchronous SGD, uneven clusters
  bounded-staleness   an adaptive bound on staleness against AdaSync

Options:
  --tuned             step sizes from an earlier tuning
  --quick             the same, in fewer clusters and with fewer seeds
  --seeds N           runs of every algorithm and cluster (default as the
                      study says)
  --jobs J            runs at a time (default: all processors)
  --report FILE.html  a page with the table and plots
  --keep FOLDER       leave the task, the clusters and the trainers there
  --help

Exit codes: 0 reproduced, 1 not reproduced or a failure, 2 bad option,
3 a paper that cannot be reproduced yet.
)";

struct Options {
  std::string paper, report, keep;
  bool quick = false, tuned = false, help = false;
  int64_t seeds = 0, jobs = 0;
};

int complain(const Twine &message, int code) {
  errs() << "error: " << message << "\n";
  return code;
}

bool readCount(StringRef name, StringRef value, int64_t most, int64_t &to) {
  if (!value.getAsInteger(10, to) && to >= 1 && to <= most)
    return true;
  complain(name + " '" + value + "' is no whole number from 1 to " +
               Twine(most),
           kUsage);
  return false;
}

/// Reads what follows `reproduce`; false where it has complained.
bool parse(ArrayRef<const char *> arguments, Options &options) {
  constexpr int64_t mostSeeds = 1000, mostJobs = 1024;
  for (size_t i = 0; i != arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      options.help = true;
      return true;
    }
    if (argument == "--quick" || argument == "--tuned") {
      options.quick |= argument == "--quick";
      options.tuned = true;
      continue;
    }
    if (!argument.starts_with("-")) {
      if (!options.paper.empty()) {
        complain("one paper at a time, not '" + options.paper + "' and '" +
                     argument + "'",
                 kUsage);
        return false;
      }
      options.paper = argument;
      continue;
    }
    auto [name, value] = argument.split('=');
    if (name != "--seeds" && name != "--jobs" && name != "--report" &&
        name != "--keep") {
      complain("unknown option '" + name +
                   "'; rubato reproduce --help lists all",
               kUsage);
      return false;
    }
    if (name == argument && i + 1 != arguments.size())
      value = arguments[++i];
    if (value.empty()) {
      complain(name + " needs a value", kUsage);
      return false;
    }
    if (name == "--report")
      options.report = value;
    else if (name == "--keep")
      options.keep = value;
    else if (name == "--seeds"
                 ? !readCount(name, value, mostSeeds, options.seeds)
                 : !readCount(name, value, mostJobs, options.jobs))
      return false;
  }
  return true;
}

unsigned jobsOf(const Options &options) {
  return options.jobs ? static_cast<unsigned>(options.jobs)
                      : std::max(1U, std::thread::hardware_concurrency());
}

/// What a comparison wants that is not there yet; empty for other papers.
StringRef missingFor(StringRef paper) {
  if (paper == "dynamic-sgd")
    return "simulated clusters whose members join and leave, and AdaScale "
           "beside it";
  if (paper == "adaptive-sgd")
    return "inputs and gradients that are sparse, as its task of extreme "
           "classification has them";
  return {};
}

} // namespace

int runReproduceCommand(int argc, char **argv) {
  Options options;
  if (!parse(
          ArrayRef<const char *>(argv, static_cast<size_t>(argc)).drop_front(2),
          options))
    return kUsage;
  if (options.help) {
    outs() << kHelp;
    return 0;
  }
  if (options.paper.empty())
    return complain("which paper? try rubato reproduce abs-sgd, or --help",
                    kUsage);
  bool gossips = options.paper == "a2cid2";
  std::optional<Study> study = findStudy(options.paper);
  if (StringRef missing = missingFor(options.paper); !missing.empty())
    return complain("'" + options.paper +
                        "' cannot be reproduced yet: it wants " + missing +
                        "; the algorithm itself can be had by rubato compile "
                        "MODEL.onnx --algorithm " +
                        options.paper,
                    kUnsupported);
  if (!study && !gossips)
    return complain("unknown paper '" + options.paper +
                        "'; there are a2cid2, abs-sgd, bounded-staleness",
                    kUsage);
  if (gossips && options.tuned && !options.quick)
    return complain("a2cid2 has no step sizes to tune; leave --tuned out",
                    kUsage);
  if (options.tuned && study && study->tuned.empty())
    return complain("there are no step sizes yet for '" + options.paper +
                        "'; leave --quick and --tuned out",
                    kUnsupported);
  if (Error error = checkReport(options.report))
    return complain(toString(std::move(error)), 1);
  mlir::registerPassManagerCLOptions(); // the compiler asks for them
  rubato::registerTargets();
  std::string linkFiles =
      rubato::TargetModel::find(rubato::CompileOptions().target)
          ->linkFiles(sys::fs::getMainExecutable(argv[0],
                                                 (void *)&runReproduceCommand));
  SmallString<128> folder(options.keep);
  std::error_code code =
      options.keep.empty()
          ? sys::fs::createUniqueDirectory("rubato-reproduce", folder)
          : sys::fs::create_directories(folder);
  // Children are started with absolute paths.
  if (!code)
    code = sys::fs::make_absolute(folder);
  if (code)
    return complain(
        "cannot make the folder '" + folder.str() + "': " + code.message(), 1);
  scope_exit remove([&] {
    if (options.keep.empty())
      sys::fs::remove_directories(folder);
  });
  auto begin = std::chrono::steady_clock::now();
  Workshop workshop(folder.str().str(), linkFiles);
  Expected<Verdict> verdict =
      gossips ? reproduceA2cid2({options.report, options.quick, options.seeds,
                                 jobsOf(options)},
                                workshop)
              : reproduceStudy(*study,
                               {options.report, options.quick, options.tuned,
                                options.seeds, jobsOf(options)},
                               workshop);
  if (!verdict)
    return complain(toString(verdict.takeError()), 1);
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  outs() << workshop.started() << " simulated runs in "
         << formatv("{0:F1}", took.count()) << " s\n"
         << verdictLine(*verdict) << "\n";
  return verdict->reproduced ? 0 : 1;
}
