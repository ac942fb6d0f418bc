// The compiler as a library: stages, files between them, the executable.
#ifndef RUBATO_DRIVER_COMPILER_H
#define RUBATO_DRIVER_COMPILER_H

#include "rubato/Driver/CompileOptions.h"
#include "rubato/Support/Stage.h"
#include "rubato/Target/TargetModel.h"

#include "mlir/Support/Timing.h"

namespace rubato {

struct Compilation {
  CompileOptions options;
  std::vector<std::string> given; // names of options on the command line
  std::string input, output;      // output "-": standard output
  Stage stopAfter = Stage::Exe;
  bool fromModel = true; // else `input` is a file of stage `startFrom`
  Stage startFrom = Stage::Import;
  bool explain = false;      // say on standard error what was decided
  std::string dumpDirectory; // every stage, numbered
  std::string linkFiles;     // folder with start files and the runtime
  LinkOptions link;          // what the executable holds
};

/// Compiles; returns the exit code. Diagnostics go to standard error.
int compile(mlir::MLIRContext &context, Compilation &compilation,
            mlir::TimingScope &timing);

} // namespace rubato

#endif // RUBATO_DRIVER_COMPILER_H
