// Where members ask what is decided once for all of them: central policies and
// votes.
#pragma once

#include "environment/environment.h"
#include "policy/policy.h"
#include "support/futex.h"

namespace rubato {

/// All members of a run, or one member's line to where the decisions are made.
/// Safe to call from several threads. The desk numbers the questions of each
/// member to each policy from 0.
class Desk {
public:
  virtual ~Desk() = default;

  /// Waits until the policy has an answer.
  virtual Status ask(const Caller &who, int policy, int entry,
                     std::span<const policy::Value> inputs,
                     std::span<policy::Value> answers, Deadline deadline) = 0;

  /// Waits until every live member has voted; the same answer for all.
  virtual Status commit(const Caller &who, int64_t seen, int64_t expected,
                        bool &ok, Deadline deadline) = 0;

  /// What this member worked on is in a reduction that counts.
  virtual void contributed(int rank) noexcept = 0;
  /// This member has ended, well or not: nobody waits for it any more.
  virtual void leave(int rank) noexcept = 0;
};

} // namespace rubato
