// Rounds that fail and run again, members that die, requests to stop.
#include "tools/rubato-interp/Machine.h"

using namespace mlir;
using namespace rubato::gsync;

namespace rubato::interp {

LogicalResult Machine::failRound(Here &here, std::string why, bool forGood) {
  Member &member = here.member();
  record(here, "failed", [&](llvm::json::OStream &json) {
    json.attribute("why", why);
    json.attribute("again", !forGood);
  });
  auto &futures = member.futures.edit();
  for (auto it = futures.begin(); it != futures.end();) {
    Future &future = it->second;
    bool born =
        future.strand == here.index && future.round == here.peek().round;
    if (future.strand == here.index)
      future.consumed = false;
    if (!born) {
      ++it;
      continue;
    }
    if (future.kind == Future::Kind::Exchange) {
      auto &posted = here.world.channels[future.channel].edit().exchanges;
      llvm::erase_if(posted, [&](const Posted &each) {
        return each.rank == here.rank && each.future == it->first;
      });
    }
    it = futures.erase(it);
  }
  returnData(here.world, here.rank, here.index);
  Strand &strand = here.strand();
  bool isPart = here.index == int(program.roleOf(here.rank).strands.size());
  if (!forGood && !isPart && ++strand.attempts < 1000) {
    ++here.world.statistics.edit().rerun[here.rank];
    beginRound(here.world, here.rank, here.index);
    return success();
  }
  strand.status = Strand::Status::Failed;
  strand.frames.clear();
  strand.slots.clear();
  if (isPart)
    return endMember(here.world, here.rank, Phase::Failed);
  return strandEnded(here.world, here.rank, here.index);
}

LogicalResult Machine::kill(World &world, int rank) {
  Member &member = world.members[rank].edit();
  if (!member.alive)
    return success();
  Here here{world, rank, 0};
  here.strand().readyAt = std::max(here.peek().readyAt, world.now);
  record(here, "die");
  member.alive = false;
  for (Cow<Strand> &each : member.strands) {
    if (each->status != Strand::Status::Running)
      continue;
    Strand &strand = each.edit();
    strand.status = Strand::Status::Ended;
    strand.frames.clear();
    strand.slots.clear();
    strand.wait = Wait::None;
    strand.answer.reset();
  }
  member.futures.edit().clear();
  world.statistics.edit().deaths.push_back(rank);
  returnData(world, rank, -1);
  for (unsigned i = 0; i != program.channels.size(); ++i)
    if (failed(settleCollectives(world, i)))
      return failure();
  failExchanges(world, rank);
  if (failed(leaveMailboxes(world, rank)) || failed(settleVotes(world)))
    return failure();
  return leavePolicies(world, rank);
}

void Machine::requestStop(World &world, int rank) {
  world.members[rank].edit().stopRequested = true;
}

} // namespace rubato::interp
