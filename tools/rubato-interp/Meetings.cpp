// Meetings of two strands of a member, and votes of all members.
#include "tools/rubato-interp/Machine.h"

using namespace mlir;
using namespace rubato::gsync;

namespace rubato::interp {

bool Machine::hasSibling(const World &world, int rank, int index,
                         unsigned place) const {
  const RoleInfo &role = program.roleOf(rank);
  return llvm::any_of(role.meeters[place], [&](int other) {
    return other != index && world.members[rank]->strands[other]->status ==
                                 Strand::Status::Running;
  });
}

LogicalResult Machine::meet(Here &here, MeetOp op) {
  Strand &strand = here.strand();
  Type type = op.getMet().getType();
  if (strand.wait == Wait::Meet) {
    Values values = *std::exchange(strand.answer, std::nullopt);
    strand.wait = Wait::None;
    record(here, "meet", [&](llvm::json::OStream &json) {
      json.attribute("met", bool(values[0].asInt()));
    });
    finish(here, op, values);
    return success();
  }
  unsigned place = program.index(op.getRendezvous());
  int &waiting = here.member().meeting[place];
  strand.wait = Wait::Meet;
  if (!hasSibling(here.world, here.rank, here.index, place))
    return answer(here.world, here.rank, here.index, {give(type, 0)}, 0);
  if (waiting < 0) {
    waiting = here.index;
    return success();
  }
  int other = std::exchange(waiting, -1);
  if (failed(answer(here.world, here.rank, other, {give(type, 1)}, 0)))
    return failure();
  return answer(here.world, here.rank, here.index, {give(type, 1)}, 0);
}

LogicalResult Machine::commit(Here &here, CommitOp op) {
  Strand &strand = here.strand();
  if (strand.wait == Wait::Commit) {
    Values values = *std::exchange(strand.answer, std::nullopt);
    strand.wait = Wait::None;
    bool ok = values[0].asInt();
    record(here, "commit",
           [&](llvm::json::OStream &json) { json.attribute("ok", ok); });
    settleCommit(here.world, here.rank, here.index, ok);
    finish(here, op, values);
    return success();
  }
  unsigned group = program.index(op.getGroup());
  int64_t number = here.member().votes[group]++;
  Values numbers = operands(here, {op.getSeen(), op.getExpected()});
  Vote::Ballot ballot{here.index, 0, 0};
  // Opaque counts are taken to be right.
  if (numbers[0].isKnown() && numbers[1].isKnown())
    ballot = {here.index, numbers[0].asInt(), numbers[1].asInt()};
  here.world.votes.edit()[{group, number}].ballots[here.rank] = ballot;
  strand.wait = Wait::Commit;
  return settleVotes(here.world);
}

LogicalResult Machine::settleVotes(World &world) {
  std::vector<int> present = live(world);
  auto &votes = world.votes.edit();
  Type type = IntegerType::get(program.module.getContext(), 1);
  for (auto it = votes.begin(); it != votes.end();) {
    Vote &vote = it->second;
    if (!llvm::all_of(present,
                      [&](int rank) { return vote.ballots.count(rank); })) {
      ++it;
      continue;
    }
    bool ok = llvm::all_of(vote.ballots, [](const auto &each) {
      return each.second.seen == each.second.expected;
    });
    for (int rank : present)
      if (failed(answer(world, rank, vote.ballots[rank].strand,
                        {give(type, ok)}, latency("ask", rank, 0))))
        return failure();
    it = votes.erase(it);
  }
  return success();
}

} // namespace rubato::interp
