// rubato-interp: runs a gsync program on n ranks in one process.
#include "tools/rubato-interp/Diagnostics.h"
#include "tools/rubato-interp/ExploreCommand.h"
#include "tools/rubato-interp/Report.h"
#include "tools/rubato-interp/Schedule.h"
#include "tools/rubato-interp/StoredCells.h"

#include "rubato/Support/Register.h"
#include "rubato/Support/Version.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

namespace cl = llvm::cl;
using namespace mlir;
using namespace rubato;
using namespace rubato::interp;

static cl::OptionCategory category("rubato-interp options");

static cl::opt<std::string> input(cl::Positional, cl::desc("PROGRAM.mlir"),
                                  cl::init("-"), cl::cat(category));
static cl::opt<int> ranks("ranks",
                          cl::desc("members, those of all roles together"),
                          cl::init(2), cl::cat(category));
static cl::opt<uint64_t>
    seed("seed",
         cl::desc("seed of data, policies, jitter and random schedules"),
         cl::init(0), cl::cat(category));
static cl::opt<int64_t>
    rounds("rounds",
           cl::desc("members are asked to stop in this round; without it the "
                    "budget (one epoch) ends the run"),
           cl::init(0), cl::cat(category));
static cl::opt<std::string>
    schedule("schedule", cl::desc("who goes next: time (virtual) or random"),
             cl::init("time"), cl::cat(category));
static cl::opt<std::string>
    costFile("cost", cl::desc("durations: lines 'gradient = [1ms, 2ms]'"),
             cl::value_desc("FILE"), cl::cat(category));
static cl::opt<int64_t>
    samples("samples", cl::desc("samples of the data set (default 64)"),
            cl::init(64), cl::cat(category));
static cl::opt<int64_t>
    classes("classes", cl::desc("integer labels are below this (default 2)"),
            cl::init(2), cl::cat(category));
static cl::opt<int64_t> quanta("quanta",
                               cl::desc("micro-batches of a member in a round"),
                               cl::init(1), cl::cat(category));
static cl::opt<bool>
    shuffle("shuffle",
            cl::desc("another order every epoch; the default with files"),
            cl::cat(category));
static cl::opt<bool> noShuffle(
    "no-shuffle",
    cl::desc("samples in the order of the files; the default without"),
    cl::cat(category));
static cl::opt<Contents> contents(
    "data", cl::desc("what real inputs contain:"),
    cl::values(clEnumValN(Contents::Random, "random", "drawn from the seed"),
               clEnumValN(Contents::Rank, "rank", "r + 1 on rank r"),
               clEnumValN(Contents::Id, "id",
                          "((5 s + 3 j) mod 32) / 8 - 2 in element j of "
                          "sample s")),
    cl::init(Contents::Random), cl::cat(category));
static cl::list<std::string> inputFiles(
    "input",
    cl::desc("samples from an IDX or npy file, which may be gzipped; "
             "in the order of ./train"),
    cl::value_desc("NAME=FILE"), cl::cat(category));
static cl::list<std::string> labelFiles("label", cl::desc("their labels"),
                                        cl::value_desc("NAME=FILE"),
                                        cl::cat(category));
static cl::list<std::string>
    scales("scale",
           cl::desc("inputs become (v * scale - mean) / std (default 1, 0, 1)"),
           cl::value_desc("NAME=V"), cl::cat(category));
static cl::list<std::string> means("mean", cl::desc("one, or one per channel"),
                                   cl::value_desc("NAME=V[,V...]"),
                                   cl::cat(category));
static cl::list<std::string> deviations("std",
                                        cl::desc("one, or one per channel"),
                                        cl::value_desc("NAME=V[,V...]"),
                                        cl::cat(category));
static cl::list<std::string>
    cellValues("cell", cl::desc("first value of a cell: NAME=NUMBER"),
               cl::value_desc("NAME=NUMBER"), cl::cat(category));
static cl::list<std::string>
    deaths("kill",
           cl::desc("a member dies after STEP visible steps (default 0) of "
                    "round ROUND of its first strand: RANK@ROUND[.STEP]"),
           cl::value_desc("RANK@ROUND[.STEP]"), cl::cat(category));
static cl::list<std::string>
    joins("join",
          cl::desc("a member is not there at the start and joins before round "
                   "ROUND: RANK@ROUND"),
          cl::value_desc("RANK@ROUND"), cl::cat(category));
static cl::opt<bool> model("model", cl::desc("evaluate the model at the end"),
                           cl::cat(category));
static cl::list<std::string>
    printCells("print-cell", cl::desc("print all elements of a cell"),
               cl::value_desc("@NAME"), cl::cat(category));
static cl::opt<bool>
    checkIds("check-samples",
             cl::desc("fail unless every sample was consumed once an epoch"),
             cl::cat(category));
static cl::opt<std::string> logFile("log", cl::desc("write events, one a line"),
                                    cl::value_desc("FILE.jsonl"),
                                    cl::cat(category));
static cl::opt<bool>
    logCells("log-cells",
             cl::desc("the log has all cells after every round and drain"),
             cl::cat(category));
static cl::opt<int64_t> maxSteps("max-steps",
                                 cl::desc("give up after so many steps"),
                                 cl::init(10'000'000), cl::cat(category));

static ExploreFlags exploreFlags(category);

/// A wrong command line.
static int usage(const llvm::Twine &message) {
  llvm::errs() << "error: " << message << "\n";
  return int(ErrorCode::Usage);
}

static DataWords dataWords() {
  return {inputFiles, labelFiles, scales, means, deviations};
}

static int readOptions(Config &config, ScheduleOptions &options) {
  if (ranks < 1 || ranks > 4096)
    return usage("--ranks must be 1 to 4096");
  if (samples < 1 || samples > (int64_t(1) << 30) || classes < 1 ||
      quanta < 1 || quanta > 65536 || rounds < 0 || maxSteps < 1)
    return usage("--samples, --classes, --quanta and --max-steps must be "
                 "positive and --rounds not negative");
  bool fromFiles = !dataWords().isEmpty();
  if (fromFiles &&
      (samples.getNumOccurrences() || classes.getNumOccurrences() ||
       contents.getNumOccurrences()))
    return usage(
        "--samples, --classes and --data are for samples that are made "
        "up; leave them out with --input and --label");
  if (shuffle && noShuffle)
    return usage("--shuffle and --no-shuffle exclude each other");
  if (schedule != "time" && schedule != "random")
    return usage("--schedule must be time or random, not '" + schedule + "'");
  config.seed = seed;
  config.rounds = rounds;
  config.samples = samples;
  config.classes = classes;
  config.quanta = quanta;
  config.shuffle = shuffle || (fromFiles && !noShuffle);
  config.contents = contents;
  config.logCells = logCells;
  config.timed = schedule == "time";
  options.maxSteps = maxSteps;
  for (llvm::StringRef each : cellValues) {
    auto [name, text] = each.split('=');
    double number = 0;
    name.consume_front("@");
    if (text.getAsDouble(number))
      return usage("--cell " + each + ": expected NAME=NUMBER");
    config.cells[name.str()] = number;
  }
  for (llvm::StringRef each : deaths) {
    Death death;
    auto [rank, place] = each.split('@');
    auto [round, step] = place.split('.');
    if (rank.getAsInteger(10, death.rank) || death.rank < 0 ||
        death.rank >= ranks || round.getAsInteger(10, death.round) ||
        (!step.empty() && step.getAsInteger(10, death.step)))
      return usage("--kill " + each +
                   ": expected RANK@ROUND or "
                   "RANK@ROUND.STEP of a rank below " +
                   llvm::Twine(ranks));
    options.deaths.push_back(death);
  }
  for (llvm::StringRef each : joins) {
    auto [rank, round] = each.split('@');
    int number = 0;
    int64_t before = 0;
    if (rank.getAsInteger(10, number) || number < 1 || number >= ranks ||
        round.getAsInteger(10, before) || before < 1)
      return usage("--join " + each +
                   ": expected RANK@ROUND of a rank from 1 to " +
                   llvm::Twine(ranks - 1) + " and a round from 1 on");
    config.joins.insert({before, number});
  }
  if (costFile.empty())
    return 0;
  std::string message;
  auto file = openInputFile(costFile, &message);
  if (!file)
    return usage("--cost: " + message);
  if (Status status = config.costs.read(file->getBuffer(), costFile); !status)
    return usage("--cost: " + status.message());
  if (Status status = config.costs.check(ranks); !status)
    return usage("--cost: " + status.message());
  return 0;
}

/// Whether everybody who ended had awaited all futures; those that are carried
/// over the last boundary are for drain.
static LogicalResult checkEnds(const World &world) {
  for (auto [rank, member] : llvm::enumerate(world.members)) {
    if (!member->alive || member->phase != Phase::Ended)
      continue;
    for (const auto &[id, future] : *member->futures)
      if (!future.consumed)
        return future.op->emitError("lost future: rank ")
               << rank << " ended without awaiting it; await it in gsync.drain";
  }
  return success();
}

/// Runs and reports; the exit code.
static int run(Machine &machine, const ScheduleOptions &options) {
  FailureOr<World> world = machine.start();
  if (failed(world))
    return int(ErrorCode::User);
  LogicalResult result = runToEnd(machine, *world, options);
  if (succeeded(result))
    result = checkEnds(*world);
  if (succeeded(result) && model) {
    result = machine.startModel(*world);
    ScheduleOptions rest;
    rest.maxSteps = options.maxSteps;
    if (succeeded(result))
      result = runToEnd(machine, *world, rest);
  }
  printReport(machine, *world, llvm::outs());
  for (llvm::StringRef name : printCells)
    if (failed(printCell(machine, *world, name, llvm::outs())))
      return int(ErrorCode::Usage);
  if (failed(result))
    return int(ErrorCode::User);
  if (checkIds && !checkSamples(machine, *world, llvm::outs()))
    return int(ErrorCode::User);
  for (const Cow<Member> &member : world->members)
    if (member->alive && member->phase == Phase::Failed)
      return int(ErrorCode::Communication);
  return 0;
}

/// Weights and samples from files; explorations do not look at numbers.
static int readFiles(ModuleOp module, Config &config) {
  if (DataWords words = dataWords(); !words.isEmpty()) {
    if (exploreFlags.exhaustive)
      return usage("--exhaustive does not look at samples; leave out --input, "
                   "--label, --scale, --mean and --std");
    Status status = Status::ok();
    config.files = DataFiles::load(module, words, status);
    if (!status)
      llvm::errs() << "error: " << status.message() << "\n";
    if (!config.files)
      return status ? int(ErrorCode::User) : int(status.code());
    config.samples = config.files->samples();
  }
  if (exploreFlags.exhaustive)
    return 0;
  auto stored =
      storedCells(module, llvm::sys::path::parent_path(input.getValue()));
  if (failed(stored))
    return int(ErrorCode::User);
  config.stored = std::move(*stored);
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << versionString() << "\n"; });
  cl::ParseCommandLineOptions(
      argc, argv,
      "rubato-interp runs a gsync program (rubato compile --emit sync) on n "
      "ranks in one\nprocess, in virtual time, and prints how it ends.\n");
  Config config;
  ScheduleOptions options;
  if (int code = readOptions(config, options))
    return code;

  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  context.getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
    printDiagnostic(diagnostic, input == "-" ? "<stdin>" : input.getValue());
  });
  llvm::SourceMgr sources;
  std::string message;
  auto file = openInputFile(input, &message);
  if (!file)
    return usage(message);
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return int(ErrorCode::User);
  auto program = Program::analyse(*module, ranks);
  if (failed(program))
    return int(ErrorCode::User);
  for (auto &[name, value] : config.cells)
    if (llvm::none_of((*program)->cells, [&name = name](gsync::CellOp cell) {
          return cell.getSymName() == name;
        }))
      return usage("--cell: the program has no cell @" + name);
  if (int code = readFiles(*module, config))
    return code;

  std::unique_ptr<llvm::raw_fd_ostream> stream;
  std::unique_ptr<EventLog> log;
  if (!logFile.empty()) {
    std::error_code code;
    stream = std::make_unique<llvm::raw_fd_ostream>(logFile, code);
    if (code)
      return usage("--log: cannot write '" + logFile + "': " + code.message());
    log = std::make_unique<EventLog>(*stream);
  }
  Machine machine(**program, config, log.get());
  if (exploreFlags.exhaustive)
    return exploreCommand(machine, exploreFlags, log.get());
  return run(machine, options);
}
