// Evaluations in the middle of a run of a program, at boundaries of rounds.
//
// Members that share their rounds all come to the boundary of the same round
// with the same count of samples, so each knows by itself that an epoch is over
// and that all others will know it there. Nobody holds up anybody: whoever is
// still in the round needs nothing that was not given before its boundary.
//
// A server has the model at its own boundary and evaluates alone; workers go on
// with the models that they have.
#pragma once

#include "launch/job.h"
#include "program/recording_environment.h"

namespace rubato {

class BoundaryEvaluation {
public:
  /// `recorder` may be null. What happens here is not recorded: it changes no
  /// cell, and a replay comes to the same bits without it.
  BoundaryEvaluation(Job &job, Member &member, RealEnvironment &environment,
                     RecordingEnvironment *recorder);

  /// Whether members of this program can be evaluated before the end.
  static bool isPossible(const Job &job);

  /// Whether members may be late because of one: while others compute it, and
  /// for as long as they may take afterwards.
  static bool holdsUp(const Job &job);

  /// A strand is at its boundary and has another round before it.
  Status at(const Caller &who);

private:
  Status evaluate(const Caller &who, int64_t epoch);
  Status meet(const Caller &who);

  Job &job;
  Member &member;
  RealEnvironment &environment;
  RecordingEnvironment *recorder;
  const Cell *seen = nullptr; // null: this member has nothing to evaluate
  int64_t last = 0;           // evaluations that epochs so far would have had
  int64_t evaluations = 0;    // those that there were
};

} // namespace rubato
