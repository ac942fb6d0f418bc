// The model of a simulated run at any moment, without disturbing it.
//
// Members are copied, one after the other, into a shadow that runs the compiled
// `model` of their role. Collectives in it complete at once: what all members
// bring to the first one is gathered, summed and given to them in another pass.
#pragma once

#include "program/member.h"
#include "support/memory.h"
#include "telemetry/metrics.h"

#include <memory>
#include <vector>

namespace rubato {

class ModelObserver {
public:
  /// `members` and `eval` outlive the observer. `scratch` as of MemberSetup.
  static Status make(const Unit &unit,
                     const std::vector<std::unique_ptr<Member>> &members,
                     int leader, const Dataset &eval, char *scratch,
                     std::unique_ptr<ModelObserver> &made);
  ~ModelObserver();

  /// Loss and what else evaluation gives, over all evaluation data, of the
  /// leader's model now. A model that has not changed is not evaluated again.
  Status evaluate(EvalRecord &record);

  /// Mean squared distance of the parameters of all members to their mean, per
  /// coordinate. Negative where members have no parameters in common.
  double consensus() const;

private:
  class Instant; // an environment in which nothing takes time
  ModelObserver(const Unit &unit,
                const std::vector<std::unique_ptr<Member>> &members, int leader,
                const Dataset &eval);
  Status shadowOf(int rank, Member *&shadow);
  Status runModel(Member *&shadow);

  const Unit &unit;
  const std::vector<std::unique_ptr<Member>> &members;
  int leader;
  const Dataset &eval;
  char *scratch = nullptr;
  std::unique_ptr<Instant> instant;
  std::vector<std::unique_ptr<Member>> shadows; // by role; made when needed
  std::vector<char> lastModel; // the flat parameters, and what they gave
  EvalRecord lastRecord;
};

/// Evaluates a member's model on all samples of `data`.
Status evaluateAll(const Unit &unit, Member &member, const Dataset &data,
                   EvalRecord &record);

} // namespace rubato
