// A study from its first run to its page.
#ifndef RUBATO_TOOLS_RUBATO_REPRODUCE_COMPARE_H
#define RUBATO_TOOLS_RUBATO_REPRODUCE_COMPARE_H

#include "Study.h"
#include "Workshop.h"

struct CompareOptions {
  std::string report; // a file; empty: none
  bool quick = false, tuned = false;
  int64_t seeds = 0; // 0: as the study says
  unsigned jobs = 1; // runs at a time
};

/// Runs everything, prints the tables and writes the page.
llvm::Expected<Verdict> reproduceStudy(const Study &study,
                                       const CompareOptions &options,
                                       Workshop &workshop);

#endif // RUBATO_TOOLS_RUBATO_REPRODUCE_COMPARE_H
