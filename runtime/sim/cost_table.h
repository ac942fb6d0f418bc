// The cost table of docs/interpreter.md: fixed durations by name and rank.
#pragma once

#include "sim/costs.h"
#include "support/status.h"

#include <map>
#include <string>
#include <vector>

namespace rubato::sim {

class CostTable : public Costs {
public:
  explicit CostTable(uint64_t seed = 0);

  /// Reads lines `key = value`; `#` starts a comment. Values are integers with
  /// an optional unit (ns, us, ms, s), or a list `[1ms, 2ms]` with one per rank
  /// (the last serves the ranks beyond it). `where` names the file.
  /// `uplink.NAME = 2ms` and `uplink.NAME.members = [0, 1]` are a link that
  /// these ranks share.
  Status read(std::string_view text, const std::string &where);

  int64_t work(const Work &work, uint64_t &draws) override;
  int64_t collective(const Reduction &reduction) override;
  Passage exchange(int rank, int64_t tag, int64_t bytes) override;
  Passage message(int rank, int64_t ticket, int64_t bytes) override;
  int64_t ask(int rank, int64_t call) override;
  std::span<const Uplink> uplinks() const override { return shared; }

private:
  Status set(std::string_view key, std::string_view value,
             const std::string &place);
  Status setUplink(std::string_view key, std::string_view value,
                   const std::string &place);
  int64_t of(std::string_view key, int rank) const;
  int64_t drawn(std::string_view key, int rank, int64_t number) const;

  uint64_t seed;
  double jitter = 0;
  std::map<std::string, std::vector<int64_t>, std::less<>> table;
  std::vector<Uplink> shared;
};

} // namespace rubato::sim
