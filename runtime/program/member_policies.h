// The policies that a member asks by itself: local ones, and its copies of
// replicated ones.
#pragma once

#include "policy/policy.h"
#include "unit/spec.h"

#include <memory>
#include <mutex>

namespace rubato {

class MemberPolicies {
public:
  /// Makes those that `rank` of `members` may ask.
  static Status make(const ProgramSpec &program, int members, int rank,
                     uint64_t seed, int64_t datasetSize,
                     std::unique_ptr<MemberPolicies> &made);

  /// Strands may ask at the same time. Questions are numbered from 0.
  Status ask(int policy, int entry, std::span<const policy::Value> inputs,
             std::span<policy::Value> answers);

private:
  struct Asked {
    std::unique_ptr<policy::Policy> policy; // null: a central one
    int64_t calls = 0;
  };

  const ProgramSpec *program = nullptr;
  int rank = 0;
  std::mutex mutex;
  std::vector<Asked> policies;
};

} // namespace rubato
