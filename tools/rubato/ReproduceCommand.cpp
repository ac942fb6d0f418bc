// rubato reproduce: the comparison that a paper claims, with the real compiler
// and simulated clusters.
#include "Commands.h"
#include "ReproduceGossip.h"
#include "ReproducePage.h"
#include "ReproduceTune.h"

#include "rubato/Target/CPU/Link.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"

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

/// A line that is rewritten, on a terminal only.
class Bar {
public:
  explicit Bar(size_t total)
      : total(total), shown(sys::Process::StandardErrIsDisplayed()) {}
  ~Bar() {
    if (shown)
      errs() << "\r\033[K";
  }
  void show(const Twine &what, int64_t runs) {
    if (!shown)
      return;
    constexpr size_t width = 30;
    size_t full = width * done / total;
    errs() << "\r\033[K[" << std::string(full, '=')
           << std::string(width - full, ' ') << "] " << done << "/" << total
           << "  " << what << ", " << runs << " runs";
  }
  void advance() { ++done; }

private:
  size_t total, done = 0;
  bool shown;
};

/// Runs everything; cells appear in `results`.
Error compare(Runs &runs, const Options &options, Results &results) {
  const Study &study = results.study;
  for (size_t i = 0; i != study.settings.size(); ++i)
    if (!options.quick || study.settings[i].quick)
      results.settings.push_back(i);
  Bar bar(results.settings.size() * study.contenders.size());
  for (size_t index : results.settings) {
    const Setting &setting = study.settings[index];
    if (Error error = runs.prepare(setting))
      return error;
    std::vector<Cell> &cells = results.cells.emplace_back();
    for (size_t c = 0; c != study.contenders.size(); ++c) {
      const Contender &contender = study.contenders[c];
      bar.show(setting.name + ", " + contender.name, runs.started());
      Expected<Cell> cell =
          options.tuned
              ? measureCell(runs, study, setting, contender,
                            study.tuned[index][c], results.seeds, study.longest)
              : tuneCell(runs, study, setting, contender, results.seeds);
      if (!cell)
        return cell.takeError();
      if (!options.report.empty() && std::isfinite(cell->median())) {
        constexpr double further = 1.2;
        auto curve =
            runs.curve({setting, contender.variants[cell->choice.variant],
                        cell->choice.factor,
                        further * cell->quantile(1) < study.longest
                            ? further * cell->quantile(1)
                            : study.longest});
        if (!curve)
          return curve.takeError();
        cell->curve = std::move(*curve);
      }
      cells.push_back(std::move(*cell));
      bar.advance();
    }
  }
  for (const Probe &probe : study.probes) {
    Cell &cell = results.probes.emplace_back();
    if (!is_contained(results.settings, probe.setting))
      continue;
    Expected<Cell> found = measureCell(
        runs, study, study.settings[probe.setting],
        study.contenders[probe.contender], {probe.variant, probe.factor},
        results.seeds, probe.longest);
    if (!found)
      return found.takeError();
    cell = std::move(*found);
  }
  return Error::success();
}

int reproduce(const Study &study, const Options &options,
              const std::string &folder, const std::string &linkFiles) {
  auto begin = std::chrono::steady_clock::now();
  Runs runs(study, folder, linkFiles, jobsOf(options));
  Results results{study, {}, {}, options.seeds, !options.tuned};
  if (!results.seeds)
    results.seeds = options.quick ? study.quickSeeds : study.seeds;
  if (Error error = compare(runs, options, results))
    return complain(toString(std::move(error)), 1);
  Verdict verdict = study.judge(results);
  printTable(outs(), results);
  if (study.print)
    study.print(outs(), results);
  if (!options.report.empty()) {
    std::error_code code;
    raw_fd_ostream file(options.report, code);
    if (!code) {
      writePage(file, results, verdict);
      file.close();
      code = file.error();
      file.clear_error();
    }
    if (code)
      return complain("cannot write --report '" + options.report +
                          "': " + code.message(),
                      1);
  }
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  outs() << runs.started() << " simulated runs in "
         << formatv("{0:F1}", took.count()) << " s\n"
         << verdictLine(verdict) << "\n";
  return verdict.reproduced ? 0 : 1;
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
  mlir::registerPassManagerCLOptions(); // the compiler asks for them
  std::string linkFiles = rubato::linkFilesDirectory(
      sys::fs::getMainExecutable(argv[0], (void *)&runReproduceCommand));
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
  if (gossips)
    return reproduceA2cid2(
        {options.report, options.quick, options.seeds, jobsOf(options)},
        folder.str().str(), linkFiles);
  return reproduce(*study, options, folder.str().str(), linkFiles);
}
