// From rows of a data set to the buffers of a micro-batch.
#pragma once

#include "data/dataset.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rubato {

/// A contiguous part of [0, total), from total · part / parts on, rounded down;
/// the interpreter and the simulator deal rounds in the same way.
struct Share {
  int64_t begin = 0, count = 0;
};
Share shareOf(int64_t total, int64_t parts, int64_t part);

/// Addresses of the unit's batch buffers, in the manifest's order.
struct BatchBuffers {
  std::vector<void *> inputs, labels;
  void *weights = nullptr;
  int64_t *ids = nullptr;
};

/// Fills batch buffers from a data set; rows that are left are padding. No heap
/// allocation, no system call.
class BatchWriter {
public:
  BatchWriter(const Unit &unit, const Dataset &dataset)
      : dataset(dataset), quantum(unit.quantum),
        weightType(unit.weights.dtype) {}

  /// With these samples, a quantum at most.
  void write(const BatchBuffers &to, std::span<const int64_t> rows) const;

private:
  const Dataset &dataset;
  int64_t quantum;
  rb_dtype weightType;
};

} // namespace rubato
