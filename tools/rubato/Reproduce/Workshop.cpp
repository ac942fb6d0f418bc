// Compiling in this process, running in others.
#include "Workshop.h"

#include "rubato/Driver/Compiler.h"
#include "rubato/Support/Register.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;

/// The files of examples/clusters by name.
static const std::pair<StringRef, StringRef> kClusters[] = {
#include "ClusterFiles.inc"
};

std::string shortNumber(double value) {
  std::string text;
  raw_string_ostream(text) << format("%.9g", value);
  return text;
}

Error Finished::failure(const std::string &what) const {
  return createStringError(what + " ended with " + Twine(code) + ": " +
                           StringRef(said).trim() +
                           "\nthe command was: " + command);
}

std::string Workshop::inside(const std::string &name) const {
  SmallString<256> path(folder);
  sys::path::append(path, name);
  return path.str().str();
}

Expected<std::string> Workshop::writeCluster(const std::string &name) const {
  std::string path = inside(name + ".toml");
  const auto *cluster =
      find_if(kClusters, [&](const auto &each) { return each.first == name; });
  if (cluster == std::end(kClusters))
    return createStringError("there is no cluster '" + name + "'");
  std::error_code code;
  raw_fd_ostream file(path, code);
  if (!code) {
    file << cluster->second;
    file.close();
    code = file.error();
    file.clear_error();
  }
  if (code)
    return createStringError("cannot write '" + path + "': " + code.message());
  return path;
}

Error Workshop::compile(const rubato::CompileOptions &options,
                        const std::string &model, const std::string &trainer) {
  if (sys::fs::exists(trainer))
    return Error::success();
  rubato::Compilation job;
  job.options = options;
  job.input = model;
  job.output = trainer;
  job.linkFiles = linkFiles;
  mlir::DialectRegistry registry;
  rubato::registerDialects(registry);
  mlir::MLIRContext context(registry);
  mlir::TimingScope timing;
  if (rubato::compile(context, job, timing))
    return createStringError("cannot compile the trainer '" + trainer +
                             "'; see above");
  return Error::success();
}

Finished Workshop::run(const Start &start) {
  std::vector<std::string> arguments = {start.trainer,
                                        "simulate",
                                        start.cluster,
                                        "--workers",
                                        std::to_string(start.workers),
                                        "--input",
                                        start.inputs,
                                        "--label",
                                        start.labels,
                                        "--eval-input",
                                        start.evalInputs,
                                        "--eval-label",
                                        start.evalLabels,
                                        "--observe",
                                        shortNumber(start.observe),
                                        "--seed",
                                        std::to_string(start.seed),
                                        "--lr",
                                        shortNumber(start.rate),
                                        "--quiet"};
  append_range(arguments, start.more);
  if (!start.metrics.empty())
    append_range(arguments,
                 std::vector<std::string>{"--metrics", start.metrics});
  std::string output = inside("run-" + std::to_string(++runs) + ".txt");
  SmallVector<StringRef> argv(arguments.begin(), arguments.end());
  std::string message;
  Finished finished;
  finished.code =
      sys::ExecuteAndWait(argv[0], argv, std::nullopt,
                          {StringRef(""), output, output}, 0, 0, &message);
  ErrorOr<std::unique_ptr<MemoryBuffer>> said = MemoryBuffer::getFile(output);
  finished.said = message + (said ? (*said)->getBuffer() : StringRef()).str();
  finished.command = join(arguments, " ");
  sys::fs::remove(output);
  return finished;
}

bool forEachMetric(const std::string &path,
                   function_ref<void(const json::Object &)> look) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(path);
  if (!file)
    return false;
  SmallVector<StringRef> lines;
  (*file)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    Expected<json::Value> value = json::parse(line);
    if (!value)
      consumeError(value.takeError());
    else if (const json::Object *object = value->getAsObject())
      look(*object);
  }
  return true;
}
