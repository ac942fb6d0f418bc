// Messages: the parts of a value, packed into one run of bytes.
//
// Parts are packed by type (f64, i64, f32), so every number is aligned without
// padding and a sum over a message is at most three loops, however many parts
// it has.
#pragma once

#include "program/part.h"
#include "support/status.h"

#include <cstdint>
#include <span>
#include <string>

namespace rubato {

/// What a message is made of; equal for messages that can be added.
struct Shape {
  int64_t parts = 0, hash = 0;
  int64_t f64Bytes = 0, i64Bytes = 0, f32Bytes = 0;

  int64_t bytes() const { return f64Bytes + i64Bytes + f32Bytes; }
  bool operator==(const Shape &) const = default;
};

Shape shapeOf(Parts parts);

/// "3 values of 120 bytes".
std::string describe(const Shape &shape);

/// Copies the parts into a message, and out of one of the same shape.
void pack(Parts parts, char *message);
void unpack(const char *message, Parts parts);

/// Zeros for every part.
void clear(Parts parts);

/// Bytes [begin, end) of the sum of messages in the order of the span, the
/// same bits as a serial sum. Borders are multiples of 8 or the end.
void sumMessages(const Shape &shape, std::span<const char *const> ins,
                 char *out, int64_t begin, int64_t end);

/// The sum of whole messages, put into the parts.
void sumInto(Parts parts, std::span<const char *const> messages);

/// Multiplies part 0 of a packed message, unless it is integer.
void scaleFirst(Parts parts, char *message, double factor);

} // namespace rubato
