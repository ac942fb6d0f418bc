// rubato compile: a model, or the file of a stage, to whatever is asked for.
#include "Commands.h"

#include "rubato/Driver/Compiler.h"
#include "rubato/Support/Register.h"
#include "rubato/Support/Unsupported.h"
#include "rubato/Target/TargetModel.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cmath>

using namespace mlir;
using namespace rubato;
namespace cl = llvm::cl;

namespace {

/// LLVM's libraries register options of their own, some under names we need
/// (`stop-after`); they keep their defaults and lose the name.
StringRef claim(StringRef name) {
  auto &registered = cl::getRegisteredOptions();
  if (auto found = registered.find(name); found != registered.end())
    found->second->removeArgument();
  return name;
}

/// Gives the names back after parsing: the linker registers its own options.
void release(cl::OptionCategory &category) {
  std::vector<cl::Option *> ours;
  for (auto &entry : cl::getRegisteredOptions())
    if (llvm::is_contained(entry.second->Categories, &category))
      ours.push_back(entry.second);
  for (cl::Option *option : ours)
    option->removeArgument();
}

/// One command-line option per compile option, writing into its field.
class OptionFlags {
public:
  OptionFlags(CompileOptions &options, cl::OptionCategory &category) {
    options.visit([&](const char *name, auto &field, const char *help) {
      add(name, field, help, category);
    });
  }

  /// Names of the options on the command line.
  std::vector<std::string> given() const {
    std::vector<std::string> names;
    for (const auto &flag : flags)
      if (flag->getNumOccurrences())
        names.push_back(flag->ArgStr.str());
    return names;
  }

private:
  template <typename T>
  void add(const char *name, T &field, const char *help,
           cl::OptionCategory &category) {
    T value = field;
    auto flag = std::make_unique<cl::opt<T, true>>(
        claim(name), cl::desc(help), cl::location(field), cl::cat(category));
    flag->setInitialValue(value);
    flags.push_back(std::move(flag));
  }
  void add(const char *name, std::vector<std::string> &field, const char *help,
           cl::OptionCategory &category) {
    flags.push_back(
        std::make_unique<cl::list<std::string, std::vector<std::string>>>(
            claim(name), cl::desc(help), cl::CommaSeparated,
            cl::location(field), cl::cat(category)));
  }

  std::vector<std::unique_ptr<cl::Option>> flags;
};

/// Prints diagnostics as `place: error: message`, nodes by their names.
void printDiagnostic(Diagnostic &diagnostic, StringRef input) {
  auto place = [&](Location loc) {
    std::string text = input.str();
    LocationAttr(loc).walk([&](Location inner) {
      // Nodes are called "fc1/linear (Gemm)"; other names are our own.
      if (auto named = dyn_cast<NameLoc>(inner)) {
        auto [node, type] = named.getName().getValue().rsplit(' ');
        if (type.starts_with("(")) {
          text += (":node '" + node + "' " + type).str();
          return WalkResult::interrupt();
        }
      }
      if (auto file = dyn_cast<FileLineColLoc>(inner)) {
        text = file.getFilename().str() + ":" + std::to_string(file.getLine()) +
               ":" + std::to_string(file.getColumn());
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    return text;
  };
  auto kind = [](DiagnosticSeverity severity) {
    switch (severity) {
    case DiagnosticSeverity::Error:
      return "error";
    case DiagnosticSeverity::Warning:
      return "warning";
    default:
      return "note";
    }
  };
  llvm::errs() << place(diagnostic.getLocation()) << ": "
               << kind(diagnostic.getSeverity()) << ": " << diagnostic << "\n";
  for (Diagnostic &note : diagnostic.getNotes())
    llvm::errs() << place(note.getLocation()) << ": note: " << note << "\n";
}

/// Says which option is no finite number, if one is.
bool checkNumbers(CompileOptions &options) {
  bool good = true;
  options.visit([&](const char *name, auto &field, const char *) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, double>)
      if (!std::isfinite(field)) {
        llvm::errs() << "error: --" << name << " must be a finite number\n";
        good = false;
      }
  });
  if (good && options.lr <= 0) {
    llvm::errs() << "error: --lr must be above 0\n";
    good = false;
  }
  return good;
}

/// Parses a stage name or says which ones exist.
bool readStage(StringRef name, StringRef flag, Stage &stage) {
  if (auto parsed = parseStage(name)) {
    stage = *parsed;
    return true;
  }
  llvm::errs() << "error: --" << flag << " '" << name
               << "' is no stage; use import, train, sync, kernels, schedule, "
                  "llvm, obj or exe\n";
  return false;
}

} // namespace

int runCompileCommand(int argc, char **argv) {
  Compilation job;
  cl::OptionCategory category("Options of rubato compile");
  cl::opt<std::string> input(cl::Positional, cl::Required,
                             cl::desc("MODEL.onnx or a stage file"),
                             cl::cat(category));
  cl::opt<std::string> output(claim("o"), cl::desc("output file"),
                              cl::value_desc("file"), cl::cat(category));
  cl::opt<std::string> emit(
      claim("emit"), cl::cat(category),
      cl::desc("what to write: import, train, sync, kernels, schedule, llvm, "
               "obj or exe (the default)"));
  cl::opt<std::string> stopAfter(claim("stop-after"), cl::cat(category),
                                 cl::desc("the same as --emit"));
  cl::opt<std::string> startFrom(
      claim("start-from"), cl::cat(category),
      cl::desc("stage of the input file, which an earlier run wrote"));
  cl::opt<std::string> dumpStages(
      claim("dump-stages"), cl::value_desc("folder"), cl::cat(category),
      cl::desc("write every stage to numbered files"));
  cl::opt<bool> noSimulator(
      claim("no-simulator"), cl::cat(category),
      cl::desc("a smaller executable, without `./train simulate`"));
  cl::opt<bool> symbols(
      claim("symbols"), cl::cat(category),
      cl::desc("names of functions in the executable, for debuggers and "
               "profilers"));
  cl::opt<bool> timing(claim("timing"), cl::cat(category),
                       cl::desc("say where compile time goes"));
  cl::opt<bool> explain(
      claim("explain"), cl::cat(category),
      cl::desc("say which kernels become plain loops, which reductions "
               "overlap, what memory it takes, and why"));
  OptionFlags flags(job.options, category);
  registerAsmPrinterCLOptions();
  registerMLIRContextCLOptions();
  registerPassManagerCLOptions();
  cl::HideUnrelatedOptions(category);
  std::string name = "rubato compile"; // what messages call us
  argv[1] = name.data();
  if (!cl::ParseCommandLineOptions(
          argc - 1, argv + 1,
          "Compiles an ONNX model into a training executable.\n"
          "MLIR's own --mlir-* options work too.\n",
          &llvm::errs()))
    return kUsage;

  if (!emit.empty() && !stopAfter.empty() && emit != stopAfter) {
    llvm::errs() << "error: --emit and --stop-after disagree\n";
    return kUsage;
  }
  StringRef last = !emit.empty() ? StringRef(emit) : StringRef(stopAfter);
  if (!last.empty() && !readStage(last, "emit", job.stopAfter))
    return kUsage;
  if (!startFrom.empty()) {
    job.fromModel = false;
    if (!readStage(startFrom, "start-from", job.startFrom))
      return kUsage;
    if (job.startFrom >= Stage::Obj || job.startFrom > job.stopAfter) {
      llvm::errs() << "error: cannot go from stage '" << startFrom << "' to '"
                   << stageName(job.stopAfter) << "'\n";
      return kUsage;
    }
  }
  if ((noSimulator || symbols) && job.stopAfter != Stage::Exe) {
    llvm::errs() << "error: " << (noSimulator ? "--no-simulator" : "--symbols")
                 << " is about executables, and this writes none; leave it or "
                    "--emit out\n";
    return kUsage;
  }
  job.link.simulator = !noSimulator;
  job.link.symbols = symbols;
  if (explain && (job.stopAfter < Stage::Kernels ||
                  (!job.fromModel && job.startFrom > Stage::Schedule))) {
    llvm::errs() << "error: --explain needs the stage kernels or schedule; "
                    "this compilation passes through neither\n";
    return kUsage;
  }
  job.explain = explain;
  if (job.options.floatType != "f32" && job.options.floatType != "f64") {
    llvm::errs() << "error: --float must be f32 or f64\n";
    return kUsage;
  }
  if (job.options.kernels != "fast" && job.options.kernels != "reference") {
    llvm::errs() << "error: --kernels must be fast or reference\n";
    return kUsage;
  }
  if (job.options.floatType == "f64" && job.options.kernels != "reference") {
    llvm::errs() << "error: --float=f64 needs --kernels=reference\n";
    return kUsage;
  }
  job.given = flags.given();
  if (job.options.batch < 1 ||
      (job.options.bucketBytes < 1 &&
       llvm::is_contained(job.given, "bucket-bytes"))) {
    llvm::errs() << "error: --batch and --bucket-bytes must be at least 1\n";
    return kUsage;
  }
  constexpr int64_t largestBatch = 1 << 24;
  if (job.options.batch > largestBatch) {
    llvm::errs() << "error: --batch " << job.options.batch << " is more than "
                 << largestBatch
                 << "; a round may take several micro-batches "
                    "(./train --global-batch)\n";
    return kUsage;
  }
  if (!checkNumbers(job.options))
    return kUsage;
  release(category);
  job.input = input;
  job.output = output;
  job.dumpDirectory = dumpStages;
  if (job.output.empty())
    job.output = job.stopAfter == Stage::Exe   ? "train"
                 : job.stopAfter == Stage::Obj ? "train.o"
                                               : "-";
  registerTargets();
  if (const TargetModel *target = TargetModel::find(job.options.target))
    job.linkFiles = target->linkFiles(
        llvm::sys::fs::getMainExecutable(argv[0], (void *)&runCompileCommand));

  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  bool unsupported = false;
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    printDiagnostic(diagnostic, job.input);
    unsupported |= isUnsupported(diagnostic);
    return success();
  });
  DefaultTimingManager timer;
  timer.setEnabled(timing);
  TimingScope root = timer.getRootScope();
  int code = compile(context, job, root);
  return code == 1 && unsupported ? kUnsupported : code;
}
