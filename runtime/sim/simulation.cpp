#include "sim/simulation.h"

#include "sim/stage.h"

#include <algorithm>

namespace rubato::sim {

using Phase = VirtualMember::Phase;

MemberFunctions functionsOf(Member &member) {
  const RoleSpec &role = member.role();
  MemberFunctions functions;
  // What a role does not have is left out: then nothing is said of it.
  if (role.init >= 0)
    functions.init = [&member] { return member.init(); };
  for (size_t i = 0; i != role.strands.size(); ++i)
    functions.strands.emplace_back(
        [&member, i] { return member.strand(static_cast<int>(i)); });
  if (role.drain >= 0)
    functions.drain = [&member] { return member.drain(); };
  if (role.model >= 0)
    functions.model = [&member] { return member.model(); };
  return functions;
}

Simulation::Simulation(SimEnvironment &environment,
                       std::vector<MemberFunctions> members)
    : environment(environment), stage(*environment.stage),
      members(std::move(members)) {}

Simulation::~Simulation() = default;

Status Simulation::run() {
  if (members.size() != stage.crew.size())
    return {ErrorCode::Internal, "a simulation needs functions for every "
                                 "member"};
  for (int rank = 0; rank != stage.members; ++rank) {
    if (members[static_cast<size_t>(rank)].strands.size() !=
        stage.roleOf(rank).strands.size())
      return {ErrorCode::Internal,
              "rank " + std::to_string(rank) +
                  " has another number of strands than its role"};
  }
  Status status;
  for (int rank = 0; status && rank != stage.members; ++rank)
    status = beginPart(rank);
  return finish(std::move(status));
}

Status Simulation::runModels() {
  std::vector<int> ready;
  // All at once: one may not wait for another that has not begun.
  for (int rank = 0; rank != stage.members; ++rank)
    if (members[static_cast<size_t>(rank)].model &&
        stage.member(rank).phase == Phase::Ended) {
      stage.member(rank).phase = Phase::Model;
      ready.push_back(rank);
    }
  Status status;
  for (int rank : ready)
    if (status)
      status = beginPart(rank);
  return finish(std::move(status));
}

Status Simulation::finish(Status status) {
  if (status)
    status =
        stage.schedule.run([this](Strand &strand) { return ended(strand); });
  bool over = std::ranges::all_of(stage.crew, [](const VirtualMember &member) {
    return member.phase == Phase::Ended;
  });
  if (status && !over)
    status = Status::user("deadlock: no strand can go on" + stage.blocked());
  if (status)
    return status;
  // Whoever still waits comes back, so that what it holds is freed.
  std::vector<Strand *> all;
  for (VirtualMember &member : stage.crew)
    for (Strand &strand : member.strands)
      all.push_back(&strand);
  stage.schedule.unwind(all);
  return status;
}

/// Starts the init, drain or model of a member, whichever its phase says; what
/// its role does not have is over at once.
Status Simulation::beginPart(int rank) {
  VirtualMember &member = stage.member(rank);
  MemberFunctions &functions = members[static_cast<size_t>(rank)];
  const std::function<Status()> &function =
      member.phase == Phase::Init    ? functions.init
      : member.phase == Phase::Drain ? functions.drain
                                     : functions.model;
  if (!function && member.phase == Phase::Init)
    return beginStrands(rank);
  if (!function) {
    member.phase = Phase::Ended;
    environment.leave(rank);
    return Status::ok();
  }
  Strand &strand = member.strands.back();
  strand.round = member.phase == Phase::Init    ? -1
                 : member.phase == Phase::Drain ? -2
                                                : -3;
  strand.readyAt = stage.schedule.now();
  environment.samples->begin(strand);
  return start(strand, function);
}

Status Simulation::beginStrands(int rank) {
  VirtualMember &member = stage.member(rank);
  member.phase = Phase::Strands;
  size_t count = member.strands.size() - 1;
  for (size_t i = 0; i != count; ++i) {
    // Who meets whom must be known before the first one runs.
    member.strands[i].state = Strand::State::Running;
    environment.samples->begin(member.strands[i]);
  }
  for (size_t i = 0; i != count; ++i)
    RB_TRY(start(member.strands[i],
                 members[static_cast<size_t>(rank)].strands[i]));
  return Status::ok();
}

Status Simulation::start(Strand &strand,
                         const std::function<Status()> &function) {
  RB_TRY(stage.schedule.start(strand, [this, &function] {
    if (Status status = function(); !status)
      stage.schedule.fail(std::move(status));
  }));
  RB_TRY(stage.schedule.result());
  return strand.fiber ? Status::ok() : ended(strand);
}

Status Simulation::ended(Strand &strand) {
  VirtualMember &member = stage.member(strand.rank);
  if (&strand == &member.strands.back())
    return partEnded(strand);
  if (strand.state != Strand::State::Ended)
    return stage.error(strand, "next",
                       "the strand has returned before its last boundary");
  for (size_t i = 0; i + 1 != member.strands.size(); ++i)
    if (member.strands[i].state != Strand::State::Ended ||
        member.strands[i].fiber)
      return Status::ok();
  member.phase = Phase::Drain;
  return beginPart(strand.rank);
}

Status Simulation::partEnded(Strand &strand) {
  VirtualMember &member = stage.member(strand.rank);
  environment.samples->end(strand);
  strand.state = Strand::State::Idle;
  if (member.phase == Phase::Model) {
    member.phase = Phase::Ended;
    return Status::ok();
  }
  if (member.phase == Phase::Drain) {
    if (stage.opens(strand, Call::Drained))
      stage.log.close();
    member.phase = Phase::Ended;
    environment.leave(strand.rank);
    return Status::ok();
  }
  for (size_t i = 0; i + 1 != member.strands.size(); ++i)
    member.strands[i].readyAt = strand.readyAt;
  return beginStrands(strand.rank);
}

} // namespace rubato::sim
