// Step sizes: every algorithm is compared at its own best.
#ifndef RUBATO_TOOLS_RUBATO_REPRODUCE_TUNE_H
#define RUBATO_TOOLS_RUBATO_REPRODUCE_TUNE_H

#include "Runs.h"

/// Finds the best variant and step size of a contender and its times.
///
/// Step sizes are halved from the study's largest; of each the median of up to
/// seven seeds counts; two in a row that are worse than the best end the
/// search. Then the best, and a factor of sqrt 2 on both sides, run with all
/// seeds. Other variants do so too where they are nearly as good.
llvm::Expected<Cell> tuneCell(Runs &runs, const Study &study,
                              const Setting &setting,
                              const Contender &contender, int64_t seeds);

/// The times at a choice that was made before, up to so many seconds.
llvm::Expected<Cell> measureCell(Runs &runs, const Study &study,
                                 const Setting &setting,
                                 const Contender &contender, Choice choice,
                                 int64_t seeds, double longest);

#endif // RUBATO_TOOLS_RUBATO_REPRODUCE_TUNE_H
