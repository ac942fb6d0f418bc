// Messages: the parts of a value, packed into one run of bytes.
//
// Parts are packed by type (f64, i64, f32), so every number is aligned without
// padding and a sum over a message is at most three loops, however many parts
// it has. Large parts need not be packed: a message may be spread over the
// memory in which they lie, and one packed message of the rest.
#pragma once

#include "support/part.h"
#include "support/status.h"

#include <array>
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

/// Where a result is written: the part's memory, or a new block that it brings.
char *destination(const Part &out);

/// Bytes [begin, end) of the sum of messages in the order of the span, the
/// same bits as a serial sum. Borders are multiples of 8 or the end.
void sumMessages(const Shape &shape, std::span<const char *const> ins,
                 char *out, int64_t begin, int64_t end);

/// The large parts of a message, the first few of them, and what is packed.
struct Layout {
  static constexpr int maxLarge = 4;
  static constexpr int64_t leastLarge = 4096; // bytes; less is not worth it
  static constexpr int64_t alignment = 256;   // of each

  struct Large {
    rb_dtype dtype = RB_F32;
    int64_t bytes = 0;
    bool operator==(const Large &) const = default;
  };
  int count = 0;
  std::array<Large, maxLarge> large = {};
  Shape rest;

  /// Where they are if all lie one after another.
  int64_t beginOf(int index) const;
  int64_t beginOfRest() const { return beginOf(count); }
  int64_t extent() const { return beginOfRest() + rest.bytes(); }
  int64_t largeBytes() const;
  bool operator==(const Layout &) const = default;
};

/// The layout, and which parts are the large ones.
struct LargeParts {
  Layout layout;
  std::array<const Part *, Layout::maxLarge> parts = {};

  explicit LargeParts(Parts parts);
  bool has(const Part &part) const;
};

/// Copies the parts that are not large, packed.
void packRest(Parts parts, const LargeParts &large, char *rest);
void unpackRest(const char *rest, Parts parts, const LargeParts &large);

/// Where a message lies; a large part that is nowhere yet is null.
struct Spread {
  std::array<char *, Layout::maxLarge> large = {};
  char *rest = nullptr;

  Spread() = default;
  /// All of it one after another.
  Spread(const Layout &layout, char *begin);
};

/// As sumMessages, of bytes [begin, end) of what has them one after another. A
/// large part without a place in `out` is left out.
void sumSpread(const Layout &layout, std::span<const Spread> ins,
               const Spread &out, int64_t begin, int64_t end);

/// Multiplies part 0 in the packed rest of a message, unless it is integer or
/// large.
void scaleFirst(Parts parts, char *rest, const LargeParts &large,
                double factor);

} // namespace rubato
