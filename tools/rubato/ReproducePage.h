// Results for people: a table on the terminal and a page with plots.
#ifndef RUBATO_TOOLS_RUBATO_REPRODUCEPAGE_H
#define RUBATO_TOOLS_RUBATO_REPRODUCEPAGE_H

#include "ReproduceStudy.h"

#include "llvm/Support/raw_ostream.h"

/// "reproduced: …" or "not reproduced: …".
std::string verdictLine(const Verdict &verdict);

void printTable(llvm::raw_ostream &os, const Results &results);

/// One file of HTML with inline SVG: no scripts, nothing from elsewhere.
void writePage(llvm::raw_ostream &os, const Results &results,
               const Verdict &verdict);

#endif // RUBATO_TOOLS_RUBATO_REPRODUCEPAGE_H
