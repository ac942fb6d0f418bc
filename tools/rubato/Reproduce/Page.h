// Results for people: a table on the terminal and a page with plots.
#ifndef RUBATO_TOOLS_RUBATO_REPRODUCE_PAGE_H
#define RUBATO_TOOLS_RUBATO_REPRODUCE_PAGE_H

#include "Study.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

/// "reproduced: …" or "not reproduced: …".
std::string verdictLine(const Verdict &verdict);

void printTable(llvm::raw_ostream &os, const Results &results);

/// One file of HTML with inline SVG: no scripts, nothing from elsewhere.
void writePage(llvm::raw_ostream &os, const Results &results,
               const Verdict &verdict);

/// Has `write` fill the file of --report; none where it is empty. Before a
/// comparison starts, `checkReport` says whether that will be possible.
llvm::Error writeReport(const std::string &path,
                        llvm::function_ref<void(llvm::raw_ostream &)> write);
llvm::Error checkReport(const std::string &path);

#endif // RUBATO_TOOLS_RUBATO_REPRODUCE_PAGE_H
