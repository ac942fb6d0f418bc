// rubato check: what a model contains and whether it can be trained.
#include "Commands.h"

#include "rubato/Import/Check.h"

#include "llvm/Support/CommandLine.h"

namespace cl = llvm::cl;

int runCheckCommand(int argc, char **argv) {
  cl::OptionCategory category("Options of rubato check");
  cl::opt<std::string> model(cl::Positional, cl::Required,
                             cl::desc("MODEL.onnx"), cl::cat(category));
  cl::opt<bool> json("json", cl::desc("machine-readable report"),
                     cl::cat(category));
  cl::opt<int64_t> batch("batch", cl::desc("samples in one micro-batch"),
                         cl::init(0), cl::cat(category));
  cl::list<std::string> trainOnly(
      "train-only", cl::CommaSeparated, cl::cat(category),
      cl::desc("train only these tensors (names, * and ?)"));
  cl::list<std::string> freeze(
      "freeze", cl::CommaSeparated, cl::cat(category),
      cl::desc("do not train these tensors (names, * and ?)"));
  cl::list<std::string> dims(
      "dim", cl::cat(category),
      cl::desc("size of a symbolic dimension: NAME=VALUE"));
  cl::HideUnrelatedOptions(category);
  std::string name = "rubato check"; // what messages call us
  argv[1] = name.data();
  if (!cl::ParseCommandLineOptions(
          argc - 1, argv + 1,
          "Says what a model contains, what is a parameter, what is supported "
          "and what is missing.\nExit code: 0 trainable, 1 broken, 3 "
          "unsupported operators.\n",
          &llvm::errs()))
    return kUsage;

  rubato::ImportOptions options;
  options.batch = batch;
  options.roles.trainOnly.assign(trainOnly.begin(), trainOnly.end());
  options.roles.freeze.assign(freeze.begin(), freeze.end());
  for (const std::string &each : dims) {
    auto [name, size] = llvm::StringRef(each).rsplit('=');
    if (name.empty() || size.getAsInteger(10, options.dims[name.str()])) {
      llvm::errs() << "error: --dim '" << each << "' is not NAME=VALUE\n";
      return kUsage;
    }
  }
  return rubato::runCheck(model, options, llvm::outs(), json);
}
