// The folder that a reproduction works in: tasks, clusters, trainers, and the
// simulated runs that it starts there.
#ifndef RUBATO_TOOLS_RUBATO_REPRODUCE_WORKSHOP_H
#define RUBATO_TOOLS_RUBATO_REPRODUCE_WORKSHOP_H

#include "rubato/Driver/CompileOptions.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <atomic>
#include <string>
#include <vector>

/// What a simulated run left behind.
struct Finished {
  int code = 0;
  std::string said;    // all that it printed
  std::string command; // for complaints

  /// "a run of 'gossip' ended with 1: …"
  llvm::Error failure(const std::string &what) const;
};

/// One run of a trainer in a cluster; the rest of its arguments is `more`.
struct Start {
  std::string trainer, cluster; // paths
  int64_t workers = 0;
  std::string inputs, labels, evalInputs, evalLabels; // files
  double observe = 1;
  int64_t seed = 0;
  double rate = 0;
  std::string metrics; // a file; empty: none
  std::vector<std::string> more;
};

class Workshop {
public:
  Workshop(std::string folder, std::string linkFiles)
      : folder(std::move(folder)), linkFiles(std::move(linkFiles)) {}

  std::string inside(const std::string &name) const;
  /// Writes a file of examples/clusters; its path.
  llvm::Expected<std::string> writeCluster(const std::string &name) const;
  /// Compiles a trainer unless it is there already.
  llvm::Error compile(const rubato::CompileOptions &options,
                      const std::string &model, const std::string &trainer);
  Finished run(const Start &start);
  /// How many runs were started.
  int64_t started() const { return runs; }

private:
  std::string folder, linkFiles;
  std::atomic<int64_t> runs = 0;
};

/// Numbers as command lines have them.
std::string shortNumber(double value);

/// Calls `look` with each line of a file of metrics; lines that are no objects
/// are left out. False: there is no such file.
bool forEachMetric(const std::string &path,
                   llvm::function_ref<void(const llvm::json::Object &)> look);

#endif // RUBATO_TOOLS_RUBATO_REPRODUCE_WORKSHOP_H
