// Packing and adding messages: see message.h.
#include "fabric/message.h"

#include "fabric/reduce.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace rubato {

static int64_t &bytesOfType(Shape &shape, rb_dtype dtype) {
  return dtype == RB_F64   ? shape.f64Bytes
         : dtype == RB_I64 ? shape.i64Bytes
                           : shape.f32Bytes;
}

Shape shapeOf(Parts parts) {
  Shape shape;
  uint64_t hash = 14695981039346656037u;
  auto mix = [&](uint64_t value) { hash = (hash ^ value) * 1099511628211u; };
  for (const Part &part : parts) {
    ++shape.parts;
    mix(static_cast<uint64_t>(part.dtype));
    mix(static_cast<uint64_t>(part.count));
    bytesOfType(shape, part.dtype) += bytesOf(part);
  }
  shape.hash = static_cast<int64_t>(hash);
  return shape;
}

std::string describe(const Shape &shape) {
  return std::to_string(shape.parts) +
         (shape.parts == 1 ? " value of " : " values of ") +
         std::to_string(shape.bytes()) + " bytes";
}

/// Calls `visit(part, offset)` for every part in the order of the message, but
/// for those that are `elsewhere`.
template <typename Visit>
static void forEachPacked(Parts parts, Visit visit,
                          const LargeParts *elsewhere = nullptr) {
  int64_t offset = 0;
  for (rb_dtype dtype : {RB_F64, RB_I64, RB_F32})
    for (const Part &part : parts)
      if (part.dtype == dtype && part.count > 0 &&
          !(elsewhere && elsewhere->has(part))) {
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
    std::memcpy(destination(part), message + offset, size_t(bytesOf(part)));
  });
}

char *destination(const Part &out) {
  if (!out.block)
    return static_cast<char *>(out.data);
  SharedBlock block = takeBlock(bytesOf(out));
  char *data = block->data;
  *out.block = std::move(block);
  return data;
}

void clear(Parts parts) {
  for (const Part &part : parts) {
    if (part.count > 0 && part.lane) {
      if (part.block)
        *part.block = part.lane->take(bytesOf(part));
      part.lane->clear(dataOf(part), bytesOf(part));
    } else if (part.count > 0) {
      std::memset(destination(part), 0, size_t(bytesOf(part)));
    }
  }
}

//===----------------------------------------------------------------------===//
// Large parts
//===----------------------------------------------------------------------===//

int64_t Layout::beginOf(int index) const {
  int64_t begin = 0;
  for (int i = 0; i < index; ++i)
    begin += (large[size_t(i)].bytes + alignment - 1) / alignment * alignment;
  return begin;
}

int64_t Layout::largeBytes() const {
  int64_t bytes = 0;
  for (int i = 0; i < count; ++i)
    bytes += large[size_t(i)].bytes;
  return bytes;
}

LargeParts::LargeParts(Parts all) {
  for (const Part &part : all)
    if (bytesOf(part) >= Layout::leastLarge &&
        layout.count < Layout::maxLarge) {
      parts[size_t(layout.count)] = &part;
      layout.large[size_t(layout.count++)] = {part.dtype, bytesOf(part)};
    }
  Shape &rest = layout.rest;
  for (const Part &part : all)
    if (!has(part)) {
      ++rest.parts;
      bytesOfType(rest, part.dtype) += bytesOf(part);
    }
}

bool LargeParts::has(const Part &part) const {
  return std::ranges::find(parts, &part) != parts.end();
}

void packRest(Parts parts, const LargeParts &large, char *rest) {
  forEachPacked(
      parts,
      [&](const Part &part, int64_t offset) {
        std::memcpy(rest + offset, part.data, size_t(bytesOf(part)));
      },
      &large);
}

void unpackRest(const char *rest, Parts parts, const LargeParts &large) {
  forEachPacked(
      parts,
      [&](const Part &part, int64_t offset) {
        std::memcpy(destination(part), rest + offset, size_t(bytesOf(part)));
      },
      &large);
}

Spread::Spread(const Layout &layout, char *begin) {
  for (int i = 0; i < layout.count; ++i)
    large[size_t(i)] = begin + layout.beginOf(i);
  rest = begin + layout.beginOfRest();
}

void sumSpread(const Layout &layout, std::span<const Spread> ins,
               const Spread &out, int64_t begin, int64_t end) {
  // Reused: a sum allocates nothing.
  static thread_local std::vector<const char *> from;
  from.resize(ins.size());
  for (int i = 0; i < layout.count; ++i) {
    auto index = size_t(i);
    int64_t place = layout.beginOf(i);
    int64_t first = std::max(begin - place, int64_t(0));
    int64_t last = std::min(end - place, layout.large[index].bytes);
    if (first >= last || !out.large[index])
      continue;
    for (size_t j = 0; j < ins.size(); ++j)
      from[j] = ins[j].large[index] + first;
    sumInRankOrder(layout.large[index].dtype, from.data(), int(from.size()),
                   out.large[index] + first, last - first);
  }
  int64_t rest = layout.beginOfRest();
  if (end <= rest)
    return;
  for (size_t j = 0; j < ins.size(); ++j)
    from[j] = ins[j].rest;
  sumMessages(layout.rest, from, out.rest, std::max(begin - rest, int64_t(0)),
              end - rest);
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

template <typename T>
static void scale(char *data, int64_t count, double factor) {
  auto *values = reinterpret_cast<T *>(data);
  for (int64_t i = 0; i < count; ++i)
    values[i] *= static_cast<T>(factor);
}

void scaleFirst(Parts parts, char *rest, const LargeParts &large,
                double factor) {
  forEachPacked(
      parts,
      [&](const Part &part, int64_t offset) {
        if (&part != &parts[0])
          return;
        if (part.dtype == RB_F32)
          scale<float>(rest + offset, part.count, factor);
        else if (part.dtype == RB_F64)
          scale<double>(rest + offset, part.count, factor);
      },
      &large);
}

} // namespace rubato
