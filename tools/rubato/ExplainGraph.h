// rubato explain of a graph of members: its edges, its constants, its gain.
#ifndef RUBATO_TOOLS_RUBATO_EXPLAINGRAPH_H
#define RUBATO_TOOLS_RUBATO_EXPLAINGRAPH_H

#include "rubato/Sync/Algorithms.h"

#include "llvm/Support/CommandLine.h"

/// The graph on the command line.
class GraphFlags {
public:
  explicit GraphFlags(llvm::cl::OptionCategory &category);
  bool given() const;
  /// As options of the algorithm, `name=value`.
  std::vector<std::string> options() const;

  llvm::cl::opt<int64_t> members;

private:
  llvm::cl::opt<std::string> topology, rows, degree, seed, file, rate;
  /// Each with the name of the algorithm's option.
  std::vector<std::pair<const char *, const llvm::cl::opt<std::string> *>>
  all() const;
};

/// Prints it; the exit code.
int explainGraph(const rubato::NamedAlgorithm &found, const GraphFlags &flags,
                 bool json);

#endif // RUBATO_TOOLS_RUBATO_EXPLAINGRAPH_H
