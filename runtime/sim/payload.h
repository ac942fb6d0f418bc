// Values on their way between virtual members.
#pragma once

#include "program/part.h"
#include "support/status.h"

#include <memory>
#include <string>
#include <vector>

namespace rubato::sim {

/// Copies of the parts of a message. Who receives the same shares the copy.
class Payload {
public:
  Payload() = default;
  /// Copies `parts`; without `withData` only their types.
  explicit Payload(Parts parts, bool withData = true);

  struct Slot {
    rb_dtype dtype = RB_F32;
    int64_t count = 0;
    bool operator==(const Slot &) const = default;
  };
  const std::vector<Slot> &slots() const { return shape; }
  int64_t bytes() const { return size; }

  /// Fills `outs`, which must be of the same types.
  Status copyTo(Parts outs) const;

  /// Multiplies part `slot` by `factor`, rounded to the type of its elements.
  /// Integers stay as they are.
  void scale(size_t slot, double factor);

  /// Sums, element by element from the first payload to the last.
  static Payload sum(std::span<const Payload *const> all);

private:
  char *at(size_t slot) {
    return reinterpret_cast<char *>(words.data() + offsets[slot]);
  }
  const char *at(size_t slot) const {
    return reinterpret_cast<const char *>(words.data() + offsets[slot]);
  }

  std::vector<Slot> shape;
  std::vector<size_t> offsets; // of each part, in words
  std::vector<uint64_t> words;
  int64_t size = 0;
};

using SharedPayload = std::shared_ptr<const Payload>;

/// "f32 x 8, i64 x 1" for messages.
std::string shapeOf(const std::vector<Payload::Slot> &slots);
std::vector<Payload::Slot> slotsOf(Parts parts);

} // namespace rubato::sim
