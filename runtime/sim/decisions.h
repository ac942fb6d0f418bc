// Questions to policies: a central one is asked by all, of the others every
// member has its own. A central one may have no answer yet; everybody who waits
// asks again after each event of the policy.
#pragma once

#include "policy/factory.h"
#include "sim/samples.h"
#include "sim/stage.h"

#include <map>
#include <memory>

namespace rubato::sim {

class Decisions {
public:
  Decisions(Stage &stage, Samples &samples) : stage(stage), samples(samples) {}

  /// Makes the policies that the program declares.
  Status make(int64_t datasetSize);

  Status ask(Strand &strand, int policy, int entry,
             std::span<const policy::Value> inputs,
             std::span<policy::Value> answers);

  bool isCentral(int policy) const;
  /// What a member worked on is in a reduction that counts.
  void contributed(int rank);

private:
  struct Question {
    Strand *strand;
    int policy, entry;
    int64_t call;
    std::span<const policy::Value> inputs;
    std::span<policy::Value> answers;
    bool answered = false;
    int64_t at = 0;
  };
  using Waiting = std::map<std::pair<int, int>, Question *>;

  const PolicySpec &specOf(int policy) const {
    return stage.spec.policies[static_cast<size_t>(policy)];
  }
  policy::Policy &policyOf(int policy, int rank);
  Status tryAsk(Question &question);
  Status settle(int policy);
  void record(const Question &question);

  Stage &stage;
  Samples &samples;
  /// By policy: one, or one per rank.
  std::vector<std::vector<std::unique_ptr<policy::Policy>>> policies;
  std::vector<std::vector<int64_t>> calls; // by rank and policy
  std::vector<Waiting> waiting;            // by policy, then rank and strand
};

} // namespace rubato::sim
