// Values on their way between virtual members.
#pragma once

#include "support/part.h"
#include "support/status.h"

#include <memory>
#include <string>
#include <vector>

namespace rubato::sim {

/// The parts of a message, which nobody changes: blocks that their sender gave
/// up or keeps for reading, and copies of what has no block. Who receives the
/// same shares it.
class Payload {
public:
  Payload() = default;
  /// Holds `parts`; without `withData` only their types.
  explicit Payload(Parts parts, bool withData = true);
  /// Shows `parts`, whose owner waits until nobody needs them.
  static Payload shown(Parts parts);

  struct Slot {
    rb_dtype dtype = RB_F32;
    int64_t count = 0;
    bool operator==(const Slot &) const = default;
  };
  const std::vector<Slot> &slots() const { return shape; }
  int64_t bytes() const { return size; }

  /// Brings its parts to `outs`, which must be of the same types: as blocks
  /// where `outs` takes some.
  Status copyTo(Parts outs) const;

  /// Multiplies part `slot` by `factor`, rounded to the type of its elements.
  /// Integers stay as they are.
  void scale(size_t slot, double factor);

  /// Sums, element by element from the first payload to the last; into the
  /// memory of `outs` where there are some.
  static Payload sum(std::span<const Payload *const> all, Parts outs = {});

private:
  struct Content {
    SharedBlock block; // none: somebody else's memory
    char *data = nullptr;
  };
  int64_t bytesOf(size_t slot) const {
    return shape[slot].count * elementBytes(shape[slot].dtype);
  }

  std::vector<Slot> shape;
  std::vector<Content> contents; // of each part
  int64_t size = 0;
};

using SharedPayload = std::shared_ptr<const Payload>;

/// Zeros, brought as a payload's parts are.
void bringZeros(const Part &out);

/// "f32 x 8, i64 x 1" for messages.
std::string shapeOf(const std::vector<Payload::Slot> &slots);
std::vector<Payload::Slot> slotsOf(Parts parts);

} // namespace rubato::sim
