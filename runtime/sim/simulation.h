// Runs all members of a simulation to their end: init, then all strands, then
// drain, each in a fiber of its own.
#pragma once

#include "program/member.h"
#include "sim/environment.h"

#include <functional>
#include <vector>

namespace rubato::sim {

/// What a member runs; parts that its role does not have are empty. A strand's
/// function runs round after round and returns when `next` was told that there
/// is no other.
struct MemberFunctions {
  std::function<Status()> init;
  std::vector<std::function<Status()>> strands;
  std::function<Status()> drain;
  std::function<Status()> model;
};

/// Those of a compiled member, which must outlive them.
MemberFunctions functionsOf(Member &member);

class Simulation {
public:
  /// One entry per rank.
  Simulation(SimEnvironment &environment, std::vector<MemberFunctions> members);
  ~Simulation();

  /// Until every member has ended. A deadlock is an error that names every
  /// strand that waits, where and for what.
  Status run();
  /// Afterwards: the model of every member that has one, all at once.
  Status runModels();

private:
  Status beginPart(int rank);
  Status beginStrands(int rank);
  Status start(Strand &strand, const std::function<Status()> &function);
  Status ended(Strand &strand);
  Status partEnded(Strand &strand);
  Status finish(Status status);

  SimEnvironment &environment;
  Stage &stage;
  std::vector<MemberFunctions> members;
};

} // namespace rubato::sim
