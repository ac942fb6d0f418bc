// Samples from files, as ./train reads them.
#ifndef RUBATO_TOOLS_INTERP_DATAFILES_H
#define RUBATO_TOOLS_INTERP_DATAFILES_H

#include "data/dataset.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>

namespace rubato::interp {

/// What the command line says of files, in the words of ./train.
struct DataWords {
  std::vector<std::string> inputs, labels; // NAME=FILE
  std::vector<std::string> scales, means, deviations;

  bool isEmpty() const {
    return inputs.empty() && labels.empty() && scales.empty() &&
           means.empty() && deviations.empty();
  }
};

/// A data set for the batches of a program: its inputs, then its labels.
class DataFiles {
public:
  /// Loads and checks files for the batches of `module`, whose @gradient says
  /// what they are called; prints warnings. An error of the module is reported
  /// at its place, and `status` stays good.
  static std::shared_ptr<const DataFiles>
  load(mlir::ModuleOp module, const DataWords &words, Status &status);

  int64_t samples() const { return dataset.samples; }
  /// Writes a sample into row `row` of value `index` of a batch.
  void copySample(unsigned index, int64_t sample, char *to, int64_t row) const;

private:
  Dataset dataset;
};

} // namespace rubato::interp

#endif // RUBATO_TOOLS_INTERP_DATAFILES_H
