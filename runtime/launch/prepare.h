// What every kind of run looks at before it begins: its files.
#pragma once

#include "cli/options.h"

namespace rubato {

/// Whether a file could be written there; asked before hours of training.
Status checkOutput(const char *flag, const std::string &path);

/// The same for all files of the options, and whether they fit the unit.
Status checkOutputs(const Unit &unit, const TrainOptions &options);

/// Loads the data of training and, where given, of evaluation. Warnings go to
/// stderr.
Status loadData(const Unit &unit, const TrainOptions &options, Dataset &train,
                Dataset &eval);

} // namespace rubato
