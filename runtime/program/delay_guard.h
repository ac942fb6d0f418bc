// Checks that a gradient is applied exactly one round late, where a program is
// made for that: it carries a reduction over the boundary and computes until it
// has arrived (StrandSpec::polls).
//
// Then nothing is left to wait for when the reduction is awaited, each round
// has one reduction of its own, no member is more than one ahead of another,
// and what arrives has counted every sample that went into gradients. A
// violation is an error of Rubato.
#pragma once

#include "environment/environment.h"
#include "program/open_futures.h"
#include "program/statistics.h"
#include "unit/spec.h"

namespace rubato {

/// Of one member; used by its strand, and by its drain after that.
class DelayGuard {
public:
  /// `peers` are the ranks that run the same role, this one among them.
  DelayGuard(const ProgramSpec &program, const RoleSpec &role,
             std::vector<int> peers, MemberStatistics *statistics);

  /// Whether it watches reductions of this channel.
  bool watches(int channel) const { return channel >= 0 && channel == watched; }

  /// The strand is about to reduce what a round of `samples` samples has
  /// computed; `arrived` says whether the reduction before has.
  Status starts(const Caller &who, Parts ins, int64_t samples, bool arrived);
  /// A strand is about to await a reduction that has arrived or not.
  Status awaits(const Caller &who, const OpenFuture &future, bool arrived);
  /// It did: `outs` are its sums.
  Status got(const Caller &who, const OpenFuture &future, Parts outs);

private:
  Status violated(const Caller &who, const std::string &what) const;

  std::string place; // "worker.round"
  int watched = -1;  // the channel
  std::vector<int> peers;
  MemberStatistics *statistics;
  int countPart = -1;  // the operand that counts samples
  int64_t started = 0; // reductions
};

} // namespace rubato
