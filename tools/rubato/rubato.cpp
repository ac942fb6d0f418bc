// rubato: ONNX models in, distributed trainers out.
#include "Commands.h"

#include "rubato/Support/Version.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

static const char *kHelp =
    R"(rubato compiles an ONNX model into a stand-alone distributed trainer.

Usage: rubato <command> [options]

Commands:
  compile MODEL.onnx -o train   make a training executable
  check MODEL.onnx              say what a model contains and whether it trains
  explain [ALGORITHM]           say what an algorithm does, and its options
  reproduce PAPER               repeat the comparison that a paper claims
  version                       print the version
  help                          print this text

`rubato <command> --help` lists the options of a command.
)";

int main(int argc, char **argv) {
  llvm::StringRef verb = argc > 1 ? argv[1] : "";
  if (verb == "compile")
    return runCompileCommand(argc, argv);
  if (verb == "check")
    return runCheckCommand(argc, argv);
  if (verb == "explain")
    return runExplainCommand(argc, argv);
  if (verb == "reproduce")
    return runReproduceCommand(argc, argv);
  if (verb == "version" || verb == "--version") {
    llvm::outs() << rubato::versionString() << "\n";
    return 0;
  }
  if (verb == "help" || verb == "--help" || verb == "-h") {
    llvm::outs() << kHelp;
    return 0;
  }
  if (verb.empty())
    llvm::errs() << "error: no command given\n\n" << kHelp;
  else
    llvm::errs() << "error: unknown command '" << verb
                 << "'; try compile, check, explain, reproduce, version or "
                    "help\n";
  return kUsage;
}
