// The arithmetic of an all-reduce.
#include "fabric/reduce.h"

#include <algorithm>
#include <vector>

namespace rubato {

Slice sliceOf(int64_t offset, int64_t bytes, int rank, int members) {
  constexpr int64_t line = 64;
  int64_t first = offset / line, last = (offset + bytes + line - 1) / line;
  int64_t share = (last - first + members - 1) / members;
  auto border = [&](int64_t index) {
    int64_t at = (first + std::min(index * share, last - first)) * line;
    return std::clamp(at, offset, offset + bytes) - offset;
  };
  return {border(rank), border(rank + 1)};
}

/// Block by block, so that the partial sums stay in the nearest cache however
/// many members there are. Vectorised along the block, which leaves the order
/// of additions of each element alone.
template <typename T>
static void sum(const char *const *ins, int members, char *out, int64_t bytes) {
  constexpr int64_t block = 1024;
  int64_t count = bytes / int64_t(sizeof(T));
  auto *to = reinterpret_cast<T *>(out);
  for (int64_t begin = 0; begin < count; begin += block) {
    int64_t end = std::min(begin + block, count);
    const T *first = reinterpret_cast<const T *>(ins[0]);
    const T *second = reinterpret_cast<const T *>(ins[1]);
    for (int64_t i = begin; i < end; ++i)
      to[i] = first[i] + second[i];
    for (int member = 2; member < members; ++member) {
      const T *next = reinterpret_cast<const T *>(ins[member]);
      for (int64_t i = begin; i < end; ++i)
        to[i] += next[i];
    }
  }
}

void sumInRankOrder(rb_dtype dtype, const char *const *ins, int members,
                    char *out, int64_t bytes) {
  if (members == 1)
    std::copy_n(ins[0], bytes, out);
  else if (dtype == RB_F32)
    sum<float>(ins, members, out, bytes);
  else if (dtype == RB_F64)
    sum<double>(ins, members, out, bytes);
  else
    sum<uint64_t>(ins, members, out, bytes); // unsigned: overflow is defined
}

template <typename T>
static void scale(const char *from, char *to, int64_t bytes, double weight) {
  const auto *values = reinterpret_cast<const T *>(from);
  auto *scaled = reinterpret_cast<T *>(to);
  for (int64_t i = 0; i < bytes / int64_t(sizeof(T)); ++i)
    scaled[i] = values[i] * static_cast<T>(weight);
}

void sumWeighted(rb_dtype dtype, const char *const *ins, const double *weights,
                 int members, char *out, int64_t bytes) {
  if (dtype == RB_I64 ||
      std::all_of(weights, weights + members, [](double w) { return w == 1; }))
    return sumInRankOrder(dtype, ins, members, out, bytes);
  // Others may read what is scaled: so a little of it at a time is elsewhere.
  constexpr int64_t block = 4096;
  std::vector<char> scaled(size_t(members) * block);
  std::vector<const char *> from(static_cast<size_t>(members));
  for (int64_t begin = 0; begin < bytes; begin += block) {
    int64_t size = std::min(block, bytes - begin);
    for (size_t i = 0; i < from.size(); ++i) {
      from[i] = ins[i] + begin;
      if (weights[i] == 1)
        continue;
      char *to = scaled.data() + int64_t(i) * block;
      dtype == RB_F32 ? scale<float>(from[i], to, size, weights[i])
                      : scale<double>(from[i], to, size, weights[i]);
      from[i] = to;
    }
    sumInRankOrder(dtype, from.data(), members, out + begin, size);
  }
}

} // namespace rubato
