// Members that come after the start. A joiner gets what the specification of an
// elastic group says, from whoever reaches the boundary first: cells, carried
// values, the state of replicated policies and the place on every channel. From
// then on it is counted.
#include "tools/rubato-interp/Machine.h"

using namespace mlir;
using namespace rubato::gsync;

namespace rubato::interp {

LogicalResult Machine::leaveOut(World &world) {
  for (auto [round, rank] : config.joins) {
    RoleInfo &role = program.roleOf(rank);
    // A carried future is one member's own, and so is what strands wait for.
    bool alone = role.strands.size() == 1 &&
                 llvm::none_of(role.region(0)->getArgumentTypes(),
                               [](Type type) { return isa<FutureType>(type); });
    if (!alone || &role != &program.roleOf(0))
      return role.op.emitError("rank ")
             << rank
             << " cannot join: only a role of one strand that carries no "
                "futures, and that rank 0 has too, takes new members";
    Member &member = world.members[rank].edit();
    member.alive = false;
    member.phase = Phase::Absent;
    if (failed(leavePolicies(world, rank)))
      return failure();
  }
  return success();
}

LogicalResult Machine::admit(World &world, int host) {
  int64_t round = world.members[host]->strands[0]->round;
  auto [first, last] = config.joins.equal_range(round);
  std::vector<int> joiners;
  for (auto it = first; it != last; ++it)
    if (world.members[it->second]->phase == Phase::Absent)
      joiners.push_back(it->second);
  // All are there before the first begins: they share one round.
  for (int rank : joiners) {
    const Member &from = *world.members[host];
    Member &member = world.members[rank].edit();
    member.alive = true;
    member.phase = Phase::Strands;
    member.cells = from.cells;
    member.policies = from.policies;
    member.posted = from.posted;
    member.votes = from.votes;
    Strand &strand = member.strands[0].edit();
    strand.carried = from.strands[0]->carried;
    strand.round = round;
    strand.readyAt = world.now;
    for (unsigned i = 0; i != world.policies.size(); ++i) {
      if (!world.policies[i]) {
        member.calls[i] = from.calls[i];
        continue;
      }
      if (Status status =
              world.policies[i].edit([&] { return make(i); }).join(rank);
          !status)
        return program.policies[i].op.emitError(status.message());
    }
    Here here{world, rank, 0};
    record(here, "join",
           [&](llvm::json::OStream &json) { json.attribute("from", host); });
  }
  for (int rank : joiners) {
    beginRound(world, rank, 0);
    Here here{world, rank, 0};
    if (failed(run(here)))
      return failure();
  }
  return success();
}

} // namespace rubato::interp
