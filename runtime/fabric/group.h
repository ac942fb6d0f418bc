// The members of a job on one machine and the memory they share.
//
// The launcher makes a Group before it forks, so its mappings (memfd, no name
// anywhere) are inherited; each worker then attaches under its rank.
#pragma once

#include "abi/rubato_abi.h"
#include "program/waiting.h"
#include "support/status.h"

#include <chrono>
#include <cstdint>
#include <memory>

namespace rubato {

/// Most ranges one collective may have.
inline constexpr int64_t maxRanges = 32;

/// Which collective a member means: call `seq` of a channel. Members that
/// meet under different names get an error instead of a wrong sum.
struct CallName {
  int32_t channel = -1;
  int64_t seq = 0;
};

class Group {
public:
  /// `sharedBytes` per member and one `resultBytes` for all.
  static Status create(int members, int64_t sharedBytes, int64_t resultBytes,
                       std::unique_ptr<Group> &group);
  virtual ~Group() = default;

  virtual int members() const = 0;

  /// Sizes of a member's operands and of the result.
  virtual int64_t sharedBytes() const { return INT64_MAX; }
  virtual int64_t resultBytes() const { return INT64_MAX; }

  virtual char *shared(int rank) = 0; // operands of a member
  virtual char *result() = 0;         // one copy for all

  /// Sums the `ins` of all members in rank order into `outs` (shared operands
  /// to result). Blocks; inputs are kept. Called by the comm lane only.
  virtual Status
  allReduceSum(int rank, const rb_range *ins, const rb_range *outs,
               int64_t count,
               std::chrono::steady_clock::time_point deadline) = 0;

  /// The same for a call that has a name; names are compared.
  virtual Status allReduceSum(int rank, const CallName &name,
                              const rb_range *ins, const rb_range *outs,
                              int64_t count,
                              std::chrono::steady_clock::time_point deadline) {
    return allReduceSum(rank, ins, outs, count, deadline);
  }

  /// All members arrive or an error comes back.
  virtual Status barrier(int rank,
                         std::chrono::steady_clock::time_point deadline) = 0;

  /// From any process or thread: every wait under way and every later one
  /// ends with an error within 50 ms that names `lostRank` (-1: no member).
  virtual void abort(int lostRank) noexcept = 0;

  /// What a member is in, or was in when it failed; for whoever explains a
  /// death. Null: this group keeps no notes.
  virtual const WaitNote *note(int rank) { return nullptr; }

  /// Why the group ended: RB_OK while it has not, else RB_PEER_LOST,
  /// RB_TIMED_OUT, RB_INVALID (members disagreed) or RB_ABORTED.
  virtual rb_status verdict() const { return RB_ABORTED; }
};

} // namespace rubato
