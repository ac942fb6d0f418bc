// `rubato check`: what a model contains and whether it can be trained.
#ifndef RUBATO_IMPORT_CHECK_H
#define RUBATO_IMPORT_CHECK_H

#include "rubato/Import/Import.h"

#include "llvm/Support/raw_ostream.h"

namespace rubato {

/// Writes the report on the model at `path` to `out`, as text or as JSON, and
/// returns the exit code: 0 trainable, 1 broken, 3 unsupported. Sizes that
/// the options leave open do not make it fail.
int runCheck(llvm::StringRef path, const ImportOptions &options,
             llvm::raw_ostream &out, bool json);

} // namespace rubato

#endif // RUBATO_IMPORT_CHECK_H
