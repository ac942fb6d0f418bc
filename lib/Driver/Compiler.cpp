// The compiler: stages, files between them, the executable.
#include "rubato/Driver/Compiler.h"

#include "Explain.h"
#include "Pipeline.h"

#include "rubato/Import/Import.h"
#include "rubato/Support/Weights.h"
#include "rubato/Target/TargetModel.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace rubato;

namespace {

class Compiler {
public:
  Compiler(MLIRContext &context, Compilation &job, TimingScope &timing)
      : context(context), job(job), timing(timing) {}
  ~Compiler() {
    if (temporaryWeights.empty())
      return;
    llvm::sys::fs::remove(temporaryWeights);
    llvm::sys::DontRemoveFileOnSignal(temporaryWeights);
  }

  int run();

private:
  int chooseTarget();
  void explainAfter(Stage stage);
  int importModel();
  int readStage();
  LogicalResult runStage(Stage stage);
  LogicalResult dump(Stage stage);
  LogicalResult writeText(StringRef path);
  int emit();
  int writeObject();
  std::string weightsPath();

  MLIRContext &context;
  Compilation &job;
  TimingScope &timing;
  const TargetModel *target = nullptr;
  OwningOpRef<ModuleOp> module;
  std::string weightsDirectory, temporaryWeights;
};

/// One clear line on standard error.
int fail(const llvm::Twine &message, int code = 1) {
  llvm::errs() << "error: " << message << "\n";
  return code;
}

/// Ends an output file, which stays only where all of it was written.
LogicalResult keep(llvm::ToolOutputFile &file, StringRef path) {
  file.os().flush();
  if (file.os().has_error()) {
    fail("cannot write '" + path + "': " + file.os().error().message());
    file.os().clear_error();
    return failure();
  }
  file.keep();
  return success();
}

} // namespace

/// Where the importer writes initial values: beside what the user keeps, or to
/// a temporary file. Text of an early stage that goes to standard output or a
/// device is for reading and needs none.
std::string Compiler::weightsPath() {
  bool kept = job.stopAfter != Stage::Exe && job.output != "-" &&
              (!llvm::sys::fs::exists(job.output) ||
               llvm::sys::fs::is_regular_file(job.output));
  llvm::SmallString<256> path;
  if (!job.dumpDirectory.empty()) {
    path = job.dumpDirectory;
    llvm::sys::path::append(path, "weights.safetensors");
  } else if (kept) {
    path = job.output;
    llvm::sys::path::replace_extension(path, "safetensors");
  } else if (job.stopAfter >= Stage::Llvm) {
    if (llvm::sys::fs::createTemporaryFile("rubato", "safetensors", path))
      return "";
    temporaryWeights = path.str();
    llvm::sys::RemoveFileOnSignal(temporaryWeights);
  }
  return std::string(path);
}

int Compiler::chooseTarget() {
  target = TargetModel::find(job.options.target);
  if (!target)
    return fail("unknown target '" + job.options.target +
                    "'; this build has: " + TargetModel::names(),
                3);
  if (job.options.bucketBytes == 0)
    job.options.bucketBytes = target->bucketBytes();
  return 0;
}

int Compiler::importModel() {
  TimingScope scope = timing.nest("import");
  ImportOptions import;
  import.batch = job.options.batch;
  import.roles.trainOnly = job.options.trainOnly;
  import.roles.freeze = job.options.freeze;
  import.floats =
      job.options.floatType == "f64" ? FloatKind::F64 : FloatKind::F32;
  for (const std::string &each : job.options.dims) {
    auto [name, size] = StringRef(each).rsplit('=');
    if (name.empty() || size.getAsInteger(10, import.dims[name.str()]))
      return fail("--dim '" + llvm::Twine(each) + "' is not NAME=VALUE", 2);
  }
  import.weightsPath = weightsPath();
  weightsDirectory = llvm::sys::path::parent_path(import.weightsPath);
  onnx::Diagnostics diagnostics(job.input);
  module = importOnnx(context, job.input, import, diagnostics);
  llvm::errs() << diagnostics.str();
  if (!module)
    return diagnostics.exitCode() ? diagnostics.exitCode() : 1;
  job.options.record(*module);
  return 0;
}

int Compiler::readStage() {
  TimingScope scope = timing.nest("read");
  // Verified below: what parses is a file of a stage, if a wrong one.
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  module = parseSourceFile<ModuleOp>(job.input, config);
  if (!module)
    return fail("'" + job.input + "' is not a file of a stage; --start-from " +
                "takes what --stop-after wrote (leave it out for an ONNX " +
                "model)");
  if (failed(verify(*module)))
    return 1;
  auto stage = (*module)->getAttrOfType<StringAttr>(kStageAttr);
  if (!stage || stage.getValue() != stageName(job.startFrom))
    return fail("'" + job.input + "' is a file of stage '" +
                (stage ? stage.getValue() : "none") + "', not '" +
                stageName(job.startFrom) + "'; give --start-from what the " +
                "file's rubato.stage says");
  if (failed(job.options.restore(*module, job.given)))
    return 1;
  weightsDirectory = llvm::sys::path::parent_path(job.input);
  // The file may have been edited: it must still keep its stage's contract.
  PassManager pm(&context);
  addStageVerifier(pm, job.startFrom);
  return succeeded(pm.run(*module)) ? 0 : 1;
}

LogicalResult Compiler::writeText(StringRef path) {
  std::string error;
  auto file = openOutputFile(path, &error);
  if (!file) {
    fail(error);
    return failure();
  }
  OpPrintingFlags flags;
  flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  module->print(file->os(), flags);
  file->os() << "\n";
  return keep(*file, path);
}

LogicalResult Compiler::dump(Stage stage) {
  if (job.dumpDirectory.empty())
    return success();
  llvm::SmallString<256> path(job.dumpDirectory);
  llvm::sys::path::append(path, std::to_string(static_cast<int>(stage) + 1) +
                                    "-" + stageName(stage) + ".mlir");
  return writeText(path);
}

LogicalResult Compiler::runStage(Stage stage) {
  TimingScope scope = timing.nest(stageName(stage));
  if (stage == Stage::Llvm) {
    auto weights = openWeights(*module, weightsDirectory);
    if (failed(weights))
      return failure();
    return lowerToLLVM(*module, *target, job.options,
                       (*weights)->getBufferSize(), scope);
  }
  PassManager pm(&context);
  if (failed(applyPassManagerCLOptions(pm)))
    return failure();
  pm.enableTiming(scope);
  addStagePasses(pm, stage, job.options);
  return pm.run(*module);
}

int Compiler::writeObject() {
  auto emitError = [&] { return module->emitError(); };
  llvm::SmallVector<char, 0> object;
  {
    TimingScope scope = timing.nest("codegen");
    if (failed(target->emitObject(*module, targetOptions(job.options), object)))
      return 1;
  }
  StringRef objectBytes(object.data(), object.size());
  if (job.stopAfter == Stage::Obj) {
    std::string error;
    auto file = openOutputFile(job.output, &error);
    if (!file)
      return fail(error);
    file->os() << objectBytes;
    return succeeded(keep(*file, job.output)) ? 0 : 1;
  }
  TimingScope scope = timing.nest("link");
  auto weights = openWeights(*module, weightsDirectory);
  llvm::SmallVector<char, 0> data;
  if (failed(weights) ||
      failed(target->emitWeights((*weights)->getBuffer(), emitError, data)))
    return 1;
  StringRef dataBytes(data.data(), data.size());
  return succeeded(target->link({objectBytes, dataBytes}, job.linkFiles,
                                job.output, emitError, job.link))
             ? 0
             : 1;
}

int Compiler::emit() {
  if (job.stopAfter >= Stage::Obj)
    return writeObject();
  if (!temporaryWeights.empty())
    (*module)->removeAttr(kWeightsAttr);
  return succeeded(writeText(job.output)) ? 0 : 1;
}

/// The report comes once, with the last stage that still shows its subject.
void Compiler::explainAfter(Stage stage) {
  if (job.explain && stage == std::min(job.stopAfter, Stage::Schedule))
    explain(*module, *target, targetOptions(job.options), llvm::errs());
}

int Compiler::run() {
  if (!job.dumpDirectory.empty())
    if (auto error = llvm::sys::fs::create_directories(job.dumpDirectory))
      return fail("cannot make '" + job.dumpDirectory +
                  "': " + error.message());
  if (int code = job.fromModel ? chooseTarget() : 0)
    return code;
  if (int code = job.fromModel ? importModel() : readStage())
    return code;
  // A file of a stage says what it was made for.
  if (int code = job.fromModel ? 0 : chooseTarget())
    return code;
  if (job.fromModel && failed(dump(Stage::Import)))
    return 1;
  explainAfter(job.startFrom);
  Stage last = std::min(job.stopAfter, Stage::Llvm);
  for (int s = static_cast<int>(job.startFrom) + 1; s <= static_cast<int>(last);
       ++s) {
    if (failed(runStage(static_cast<Stage>(s))) ||
        failed(dump(static_cast<Stage>(s))))
      return 1;
    explainAfter(static_cast<Stage>(s));
  }
  return emit();
}

int rubato::compile(MLIRContext &context, Compilation &compilation,
                    TimingScope &timing) {
  return Compiler(context, compilation, timing).run();
}
