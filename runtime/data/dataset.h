// A data set that fits a unit: every input and label of the model has a file
// of the right type, shape and range. Nothing is checked later than here.
#pragma once

#include "data/array.h"
#include "data/transform.h"
#include "unit/unit.h"

#include <map>
#include <string>
#include <vector>

namespace rubato {

/// One input or label, ready to be copied sample by sample.
class Field {
public:
  Field(Array array, const BatchBuffer &buffer, const Transform &transform);

  /// Writes sample `index` into row `row` of a batch buffer.
  void copySample(int64_t index, char *buffer, int64_t row) const;
  void clearRow(char *buffer, int64_t row) const;
  /// Asks for a sample that will be copied soon: in a shuffled order each comes
  /// from far away.
  void prefetchSample(int64_t index) const;

  const Array &array() const { return array_; }

private:
  Array array_;
  int64_t sampleBytes, rowBytes;      // in the file, in the buffer
  int64_t run, runBytes, runRowBytes; // elements that share their factors
  std::vector<Factors> factors;
  ConvertFn convert;
};

struct Dataset {
  std::vector<Field> inputs, labels; // in the unit's order
  int64_t samples = 0;
};

/// What the command line gives, by the names of inputs and labels.
struct DatasetFiles {
  std::map<std::string, std::string> inputs, labels;
  std::map<std::string, Transform> transforms;
};

/// Loads and checks. `flag` names the options in messages: "input" or
/// "eval-input" and so on ("" or "eval-"). Warnings go to `warnings`.
Status loadDataset(const Unit &unit, const DatasetFiles &files,
                   const std::string &flag, Dataset &dataset,
                   std::vector<std::string> &warnings);

} // namespace rubato
