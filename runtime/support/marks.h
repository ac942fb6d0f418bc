// How far somebody had come at which time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace rubato {

/// The first `bytes` bytes were there at `time`, in nanoseconds.
struct Mark {
  int64_t bytes = 0, time = 0;
};

/// Marks in order; the last is of all bytes.
using Marks = std::vector<Mark>;

/// When a member had come as far as `bytes`.
inline int64_t timeOf(std::span<const Mark> marks, int64_t bytes) {
  for (const Mark &mark : marks)
    if (mark.bytes >= bytes)
      return mark.time;
  return marks.empty() ? 0 : marks.back().time;
}

/// When all had come as far as each mark of any of them. At most `most` marks:
/// of more, those that tell least are left out.
inline Marks together(std::span<const Marks> all, size_t most = SIZE_MAX) {
  std::vector<int64_t> borders;
  for (const Marks &marks : all)
    for (const Mark &mark : marks)
      borders.push_back(mark.bytes);
  std::ranges::sort(borders);
  auto repeated = std::ranges::unique(borders);
  borders.erase(repeated.begin(), repeated.end());
  while (borders.size() > std::max<size_t>(most, 1)) {
    // The border whose bucket is smallest; never the last.
    size_t least = 0;
    for (size_t i = 1; i + 1 < borders.size(); ++i)
      if (borders[i] - borders[i - 1] <
          borders[least] - (least ? borders[least - 1] : 0))
        least = i;
    borders.erase(borders.begin() + static_cast<ptrdiff_t>(least));
  }
  Marks result;
  for (int64_t border : borders) {
    int64_t time = 0;
    for (const Marks &marks : all)
      time = std::max(time, timeOf(marks, border));
    result.push_back({border, time});
  }
  return result;
}

} // namespace rubato
