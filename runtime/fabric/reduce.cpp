// The arithmetic of an all-reduce.
#include "fabric/reduce.h"

#include <algorithm>

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

} // namespace rubato
