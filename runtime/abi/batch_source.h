// Where a worker's micro-batches come from: the context asks, data/ answers.
#pragma once

#include "support/status.h"

#include <cstdint>
#include <vector>

namespace rubato {

/// Addresses of the unit's batch buffers, in the manifest's order.
struct BatchBuffers {
  std::vector<void *> inputs, labels;
  void *weights = nullptr;
  int64_t *ids = nullptr;
};

class BatchSource {
public:
  virtual ~BatchSource() = default;

  /// Micro-batches of this member in the present round.
  virtual int64_t quanta() const = 0;

  /// Writes the next micro-batch; no heap allocation, no system call.
  virtual Status next(const BatchBuffers &to) = 0;
};

} // namespace rubato
