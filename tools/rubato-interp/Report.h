// What is printed when a run has ended.
#ifndef RUBATO_TOOLS_INTERP_REPORT_H
#define RUBATO_TOOLS_INTERP_REPORT_H

#include "tools/rubato-interp/Machine.h"

namespace rubato::interp {

/// Members, cells, staleness and counts.
void printReport(Machine &machine, const World &world, llvm::raw_ostream &os);

/// Every element of one cell on every live member.
mlir::LogicalResult printCell(Machine &machine, const World &world,
                              llvm::StringRef name, llvm::raw_ostream &os);

/// Whether every sample of every epoch that was handed out entirely was
/// consumed exactly once; the differences are printed. What was given back and
/// waits to be handed out again is no difference.
bool checkSamples(Machine &machine, const World &world, llvm::raw_ostream &os);

} // namespace rubato::interp

#endif // RUBATO_TOOLS_INTERP_REPORT_H
