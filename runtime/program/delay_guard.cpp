#include "program/delay_guard.h"

namespace rubato {

DelayGuard::DelayGuard(const ProgramSpec &program, const RoleSpec &role,
                       std::vector<int> peers, MemberStatistics *statistics)
    : peers(std::move(peers)), statistics(statistics) {
  for (const StrandSpec &strand : role.strands)
    for (size_t i = 0; i != program.channels.size(); ++i)
      if (std::ranges::count(strand.polls, program.channels[i].name) &&
          watched < 0) {
        place = role.name + "." + strand.name;
        watched = static_cast<int>(i);
      }
}

Status DelayGuard::violated(const Caller &who, const std::string &what) const {
  return {ErrorCode::Internal,
          "rank " + std::to_string(who.rank) + ", " + place + ", round " +
              std::to_string(who.round) + ": " + what +
              "; gradients must be applied exactly one round late"};
}

static bool isNumber(const Part &part) {
  return part.dtype == RB_I64 && part.count == 1;
}

Status DelayGuard::starts(const Caller &who, Parts ins, int64_t samples,
                          bool arrived) {
  if (started != who.round)
    return violated(who, "starts reduction " + std::to_string(started) +
                             ", and a round has one of its own");
  if (!arrived)
    return violated(who, "starts a reduction before that of the round before "
                         "has arrived");
  int64_t number = -1;
  for (size_t i = 0; i != ins.size() && countPart < 0; ++i)
    if (isNumber(ins[i])) {
      RB_TRY(numberIn(ins[i], number));
      if (number == samples)
        countPart = static_cast<int>(i);
    }
  if (countPart >= 0 && static_cast<size_t>(countPart) < ins.size())
    RB_TRY(numberIn(ins[static_cast<size_t>(countPart)], number));
  if (countPart < 0 || number != samples)
    return violated(who, "computed " + std::to_string(samples) +
                             " samples and reduces another number");
  // Before it is posted: whoever has the sum sees what went into it.
  MemberStatistics &mine = statistics[who.rank];
  mine.reducedSamples[who.round % keptReductions].store(samples);
  mine.reductions.store(++started);
  return Status::ok();
}

Status DelayGuard::awaits(const Caller &who, const OpenFuture &future,
                          bool arrived) {
  if (who.round < 0) // drain waits for the last one
    return Status::ok();
  if (who.round == 0)
    return violated(who, "awaits a reduction before there was one");
  if (future.round != who.round - 1)
    return violated(who, "awaits the reduction of round " +
                             std::to_string(future.round));
  if (!arrived)
    return violated(who, "would wait for a reduction that it computed through");
  return Status::ok();
}

Status DelayGuard::got(const Caller &who, const OpenFuture &future,
                       Parts outs) {
  if (countPart < 0 || static_cast<size_t>(countPart) >= outs.size() ||
      !isNumber(outs[static_cast<size_t>(countPart)]))
    return violated(who, "gets no count of samples");
  int64_t samples = 0;
  for (int rank : peers) {
    const MemberStatistics &peer = statistics[rank];
    int64_t reductions = peer.reductions.load();
    // All have given this one, and nobody can be two ahead of this member.
    if (reductions <= future.round || reductions > started + 1)
      return violated(who, "has the sum of reduction " +
                               std::to_string(future.round) + ", but rank " +
                               std::to_string(rank) + " has started " +
                               std::to_string(reductions));
    samples += peer.reducedSamples[future.round % keptReductions].load();
  }
  int64_t counted = 0;
  RB_TRY(numberIn(outs[static_cast<size_t>(countPart)], counted));
  if (counted != samples)
    return violated(who, "the reduction counts " + std::to_string(counted) +
                             " samples, but members computed " +
                             std::to_string(samples));
  return Status::ok();
}

} // namespace rubato
