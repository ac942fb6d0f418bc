// Packing and adding messages: see message.h.
#include "fabric/message.h"

#include "fabric/reduce.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace rubato {

Shape shapeOf(Parts parts) {
  Shape shape;
  uint64_t hash = 14695981039346656037u;
  auto mix = [&](uint64_t value) { hash = (hash ^ value) * 1099511628211u; };
  for (const Part &part : parts) {
    ++shape.parts;
    mix(static_cast<uint64_t>(part.dtype));
    mix(static_cast<uint64_t>(part.count));
    (part.dtype == RB_F64   ? shape.f64Bytes
     : part.dtype == RB_I64 ? shape.i64Bytes
                            : shape.f32Bytes) += bytesOf(part);
  }
  shape.hash = static_cast<int64_t>(hash);
  return shape;
}

std::string describe(const Shape &shape) {
  return std::to_string(shape.parts) +
         (shape.parts == 1 ? " value of " : " values of ") +
         std::to_string(shape.bytes()) + " bytes";
}

/// Calls `visit(part, offset)` for every part in the order of the message.
template <typename Visit> static void forEachPacked(Parts parts, Visit visit) {
  int64_t offset = 0;
  for (rb_dtype dtype : {RB_F64, RB_I64, RB_F32})
    for (const Part &part : parts)
      if (part.dtype == dtype && part.count > 0) {
        visit(part, offset);
        offset += bytesOf(part);
      }
}

void pack(Parts parts, char *message) {
  forEachPacked(parts, [&](const Part &part, int64_t offset) {
    std::memcpy(message + offset, part.data, size_t(bytesOf(part)));
  });
}

void unpack(const char *message, Parts parts) {
  forEachPacked(parts, [&](const Part &part, int64_t offset) {
    std::memcpy(part.data, message + offset, size_t(bytesOf(part)));
  });
}

void clear(Parts parts) {
  for (const Part &part : parts)
    if (part.count > 0)
      std::memset(part.data, 0, size_t(bytesOf(part)));
}

void sumMessages(const Shape &shape, std::span<const char *const> ins,
                 char *out, int64_t begin, int64_t end) {
  // A few members fit here, so that nothing is allocated for them.
  constexpr size_t few = 64;
  const char *fixed[few];
  std::vector<const char *> many(ins.size() > few ? ins.size() : 0);
  const char **parts = ins.size() > few ? many.data() : fixed;
  int64_t from = 0;
  auto run = [&](rb_dtype dtype, int64_t bytes) {
    int64_t first = std::max(begin, from), last = std::min(end, from + bytes);
    if (first < last) {
      for (size_t i = 0; i < ins.size(); ++i)
        parts[i] = ins[i] + first;
      sumInRankOrder(dtype, parts, int(ins.size()), out + first, last - first);
    }
    from += bytes;
  };
  run(RB_F64, shape.f64Bytes);
  run(RB_I64, shape.i64Bytes);
  run(RB_F32, shape.f32Bytes);
}

void sumInto(Parts parts, std::span<const char *const> messages) {
  std::vector<const char *> ins(messages.size());
  forEachPacked(parts, [&](const Part &part, int64_t offset) {
    for (size_t i = 0; i < ins.size(); ++i)
      ins[i] = messages[i] + offset;
    sumInRankOrder(part.dtype, ins.data(), int(ins.size()),
                   static_cast<char *>(part.data), bytesOf(part));
  });
}

template <typename T>
static void scale(char *data, int64_t count, double factor) {
  auto *values = reinterpret_cast<T *>(data);
  for (int64_t i = 0; i < count; ++i)
    values[i] *= static_cast<T>(factor);
}

void scaleFirst(Parts parts, char *message, double factor) {
  forEachPacked(parts, [&](const Part &part, int64_t offset) {
    if (&part != &parts[0])
      return;
    if (part.dtype == RB_F32)
      scale<float>(message + offset, part.count, factor);
    else if (part.dtype == RB_F64)
      scale<double>(message + offset, part.count, factor);
  });
}

} // namespace rubato
