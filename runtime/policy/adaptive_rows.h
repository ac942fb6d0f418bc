// The stream of rows that policies deal out, each row once.
#pragma once

#include "policy/policy.h"

namespace rubato::policy {

/// Positions [begin, end) of the stream. The stream goes over the data again
/// and again: position p is row p mod n of epoch p / n.
struct RowRange {
  int64_t begin = 0, end = 0;

  int64_t size() const { return end - begin; }
  bool empty() const { return begin == end; }
  bool operator==(const RowRange &) const = default;
};

class RowStream {
public:
  /// A stream of `total` positions; 0 never ends.
  explicit RowStream(int64_t total);

  /// At most `count` positions in one piece; empty at the end of the stream.
  /// Positions that were given back come first, so that an epoch is finished
  /// as early as can be.
  RowRange take(int64_t count);
  /// Takes back a range that was taken and not used.
  void giveBack(RowRange range);
  /// Positions that are taken and not given back.
  int64_t taken() const;
  /// Positions that can still be taken.
  int64_t left() const { return limit - taken(); }
  /// The end of all positions that were ever taken.
  int64_t reached() const { return cursor; }

  void save(StateWriter &out) const;
  bool load(StateReader &in);

private:
  int64_t limit, cursor = 0;
  /// Disjoint, ascending.
  std::vector<RowRange> returned;
};

} // namespace rubato::policy
