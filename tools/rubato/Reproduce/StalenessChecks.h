// What must hold for bounded staleness to count as reproduced.
#ifndef RUBATO_TOOLS_RUBATO_REPRODUCE_STALENESSCHECKS_H
#define RUBATO_TOOLS_RUBATO_REPRODUCE_STALENESSCHECKS_H

#include "Study.h"

/// The rows of the study's table.
enum StalenessContender : size_t {
  kAdaSync,
  kSaAdaSync,
  kKSync,
  kKAsync,
  kAsgd,
  kLocalSgd,
  kBounded1,
  kBounded10,
  kAbs
};

Verdict judgeStaleness(const Results &results);
void printStaleness(llvm::raw_ostream &os, const Results &results);

#endif // RUBATO_TOOLS_RUBATO_REPRODUCE_STALENESSCHECKS_H
