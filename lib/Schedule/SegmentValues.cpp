// Which values a segment writes, and whether it needs what they hold.
#include "SegmentValues.h"

#include <map>

using namespace mlir;
using namespace rubato;

namespace {

/// Bytes that were written so far: ends by beginnings, apart from each other.
class Written {
public:
  void add(int64_t begin, int64_t end) {
    auto next = ranges.lower_bound(begin);
    if (next != ranges.begin() && std::prev(next)->second >= begin)
      --next;
    while (next != ranges.end() && next->first <= end) {
      begin = std::min(begin, next->first);
      end = std::max(end, next->second);
      next = ranges.erase(next);
    }
    ranges[begin] = end;
  }
  bool empty() const { return ranges.empty(); }
  bool covers(int64_t begin, int64_t end) const {
    auto next = ranges.upper_bound(begin);
    return begin == end ||
           (next != ranges.begin() && std::prev(next)->second >= end);
  }

private:
  std::map<int64_t, int64_t> ranges;
};

} // namespace

llvm::MapVector<StringAttr, bool>
rubato::writtenValues(sched::SegmentOp segment, ValueBytes bytesOf) {
  llvm::MapVector<StringAttr, Written> written;
  llvm::DenseSet<StringAttr> keep;
  for (auto launch : segment.getLine()->getOps<sched::LaunchOp>()) {
    for (auto range : launch.getReads().getAsRange<sched::RangeAttr>()) {
      StringAttr buffer = range.getBuffer().getAttr();
      int64_t begin = range.getOffset(), end = begin + range.getSize();
      if (bytesOf(buffer) && !written[buffer].covers(begin, end))
        keep.insert(buffer);
    }
    for (auto range : launch.getWrites().getAsRange<sched::RangeAttr>())
      if (StringAttr buffer = range.getBuffer().getAttr(); bytesOf(buffer))
        written[buffer].add(range.getOffset(),
                            range.getOffset() + range.getSize());
  }
  llvm::MapVector<StringAttr, bool> result;
  for (auto &[buffer, ranges] : written)
    if (!ranges.empty())
      result[buffer] =
          keep.contains(buffer) || !ranges.covers(0, *bytesOf(buffer));
  return result;
}
