// What a study with a reference prints behind its table.
#ifndef RUBATO_TOOLS_RUBATO_REPRODUCE_REFERENCE_H
#define RUBATO_TOOLS_RUBATO_REPRODUCE_REFERENCE_H

#include "Study.h"

/// Every median and ratio beside those of the study's reference.
void printReference(llvm::raw_ostream &os, const Results &results);
/// Rounds, messages, restarts and staleness of all contenders.
void printCounts(llvm::raw_ostream &os, const Results &results);
void printProbes(llvm::raw_ostream &os, const Results &results);

/// Of a contender's ratios over the settings that were looked at.
double geometricMean(const Results &results, size_t contender,
                     bool ofReference = false);

#endif // RUBATO_TOOLS_RUBATO_REPRODUCE_REFERENCE_H
