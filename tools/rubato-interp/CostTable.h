// What things take in virtual time.
#ifndef RUBATO_TOOLS_INTERP_COSTTABLE_H
#define RUBATO_TOOLS_INTERP_COSTTABLE_H

#include "support/status.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace rubato::interp {

/// A link that some ranks share towards all others, and how long a message
/// occupies one direction of it.
struct Uplink {
  std::string name, where;
  std::vector<int> members;
  int64_t duration = -1;
};

/// Durations in integer nanoseconds. A value is for all ranks, or a list has
/// one per rank (the last one serves the ranks beyond it).
class CostTable {
public:
  CostTable();

  /// Reads lines `key = value`; `#` starts a comment. Values are integers with
  /// an optional unit (ns, us, ms, s), or a list `[1ms, 2ms]`; the members of
  /// an uplink are a list of ranks.
  Status read(llvm::StringRef text, llvm::StringRef where);

  /// The duration of `key` on `rank`: 0 for a function nobody named.
  int64_t of(llvm::StringRef key, int rank) const;
  /// Durations vary by up to this share, drawn from the seed.
  double jitter() const { return jitterShare; }

  /// Whether all members of uplinks are among so many ranks.
  Status check(int ranks) const;
  const std::vector<Uplink> &uplinks() const { return shared; }
  /// The number of the uplink that a rank is behind, or -1.
  int uplinkOf(int rank) const;

private:
  Status set(llvm::StringRef key, llvm::StringRef value, llvm::StringRef place);
  Status setUplink(llvm::StringRef key, llvm::StringRef value,
                   llvm::StringRef place);
  Status checkUplinks() const;

  llvm::StringMap<std::vector<int64_t>> table;
  std::vector<Uplink> shared;
  double jitterShare = 0;
};

} // namespace rubato::interp

#endif // RUBATO_TOOLS_INTERP_COSTTABLE_H
