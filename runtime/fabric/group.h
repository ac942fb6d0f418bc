// The members of a job on one machine and the memory they share.
//
// The launcher makes a Group before it forks, so its mappings (memfd, no name
// anywhere) are inherited; each worker then attaches under its rank.
#pragma once

#include "abi/rubato_abi.h"
#include "support/status.h"

#include <chrono>
#include <cstdint>
#include <memory>

namespace rubato {

class Group {
public:
  /// `sharedBytes` per member and one `resultBytes` for all.
  static Status create(int members, int64_t sharedBytes, int64_t resultBytes,
                       std::unique_ptr<Group> &group);
  virtual ~Group() = default;

  virtual int members() const = 0;
  virtual char *shared(int rank) = 0; // operands of a member
  virtual char *result() = 0;         // one copy for all

  /// Sums the `ins` of all members in rank order into `outs` (shared operands
  /// to result). Blocks; inputs are kept. Called by the comm lane only.
  virtual Status allReduceSum(int rank, const rb_range *ins,
                              const rb_range *outs, int64_t count,
                              std::chrono::steady_clock::time_point deadline) = 0;

  /// All members arrive or an error comes back.
  virtual Status barrier(int rank,
                         std::chrono::steady_clock::time_point deadline) = 0;

  /// From any process or thread: every wait under way and every later one
  /// ends with an error within 50 ms that names `lostRank` (-1: no member).
  virtual void abort(int lostRank) noexcept = 0;
};

} // namespace rubato
