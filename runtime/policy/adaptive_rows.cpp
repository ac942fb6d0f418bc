// A cursor, and the ranges behind it that came back.
#include "policy/adaptive_rows.h"

#include <algorithm>

namespace rubato::policy {

RowStream::RowStream(int64_t total) : limit(total > 0 ? total : INT64_MAX) {}

RowRange RowStream::take(int64_t count) {
  if (!returned.empty()) {
    RowRange &first = returned.front();
    RowRange part = {first.begin, first.begin + std::min(count, first.size())};
    first.begin = part.end;
    if (first.empty())
      returned.erase(returned.begin());
    return part;
  }
  RowRange part = {cursor, cursor + std::min(count, limit - cursor)};
  cursor = part.end;
  return part;
}

void RowStream::giveBack(RowRange range) {
  if (range.empty())
    return;
  auto place = std::lower_bound(
      returned.begin(), returned.end(), range,
      [](const RowRange &a, const RowRange &b) { return a.begin < b.begin; });
  returned.insert(place, range);
}

int64_t RowStream::taken() const {
  int64_t result = cursor;
  for (const RowRange &range : returned)
    result -= range.size();
  return result;
}

void RowStream::save(StateWriter &out) const {
  std::vector<int64_t> ends;
  for (const RowRange &range : returned)
    ends.insert(ends.end(), {range.begin, range.end});
  out.i64(cursor);
  out.i64s(ends);
}

bool RowStream::load(StateReader &in) {
  std::vector<int64_t> ends;
  if (!in.i64(cursor) || cursor < 0 || cursor > limit || !in.i64s(ends) ||
      ends.size() % 2 != 0)
    return false;
  returned.clear();
  int64_t last = 0;
  for (size_t i = 0; i < ends.size(); i += 2) {
    if (ends[i] < last || ends[i + 1] <= ends[i] || ends[i + 1] > cursor)
      return false;
    last = ends[i + 1];
    returned.push_back({ends[i], last});
  }
  return true;
}

} // namespace rubato::policy
