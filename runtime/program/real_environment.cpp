// A real run: making it, its clock, and what happens inside one member.
#include "program/real_environment.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

namespace rubato {

Status RealEnvironment::make(const RealSetup &setup,
                             std::unique_ptr<RealEnvironment> &environment) {
  std::unique_ptr<RealEnvironment> made(new RealEnvironment(setup));
  std::vector<int> roles = setup.program.rolesOfRanks(setup.members);
  if (roles.size() != static_cast<size_t>(setup.members))
    return {ErrorCode::Internal, "the roles of the program do not fit " +
                                     std::to_string(setup.members) +
                                     " members"};
  made->members_.resize(roles.size());
  for (int rank = 0; rank < setup.members; ++rank)
    if (setup.rank < 0 || setup.rank == rank)
      RB_TRY(made->makeMember(rank, roles));
  environment = std::move(made);
  return Status::ok();
}

Status RealEnvironment::makeMember(int rank, const std::vector<int> &roles) {
  MemberState &member = members_[static_cast<size_t>(rank)];
  int number = roles[static_cast<size_t>(rank)];
  const RoleSpec &role = setup.program.roles[static_cast<size_t>(number)];
  if (role.strands.size() > maxStrands)
    return {ErrorCode::Unsupported, "role '" + role.name + "' has more than " +
                                        std::to_string(maxStrands) +
                                        " strands"};
  // Those of one role share its rounds.
  CursorShape shape{setup.order.samples, setup.globalBatch, setup.quanta,
                    setup.quantum};
  shape.members = std::count(roles.begin(), roles.end(), number);
  shape.index = std::count(roles.begin(), roles.begin() + rank, number);
  member.strands.assign(role.strands.size() + 1, StrandState(shape));
  member.futures = std::make_unique<OpenFutures>();
  std::vector<int> peers;
  for (int peer = 0; peer < setup.members; ++peer)
    if (roles[static_cast<size_t>(peer)] == number)
      peers.push_back(peer);
  member.guard = std::make_unique<DelayGuard>(
      setup.program, role, std::move(peers), setup.statistics);
  member.locks =
      std::make_unique<std::mutex[]>(static_cast<size_t>(setup.program.locks));
  for (const RendezvousSpec &spec : setup.program.rendezvous) {
    std::vector<int> strands;
    for (size_t i = 0; i != role.strands.size(); ++i)
      for (const std::string &name : spec.strands)
        if (name == role.name + "." + role.strands[i].name)
          strands.push_back(static_cast<int>(i));
    member.meetings.push_back(std::make_unique<Meeting>(std::move(strands)));
  }
  return MemberPolicies::make(setup.program, setup.members, rank,
                              setup.order.seed, setup.order.samples,
                              member.policies);
}

//===----------------------------------------------------------------------===//
// The clock
//===----------------------------------------------------------------------===//

static int64_t nanosecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now() - begin)
      .count();
}

int64_t RealEnvironment::nanoseconds() const {
  int64_t since = pausedSince.load();
  return (since ? since : nanosecondsSince(begin)) - paused.load();
}

void RealEnvironment::pause() { pausedSince.store(nanosecondsSince(begin)); }

void RealEnvironment::resume() {
  if (int64_t since = pausedSince.exchange(0))
    paused += nanosecondsSince(begin) - since;
}

int64_t RealEnvironment::members(const Caller &) { return setup.members; }
int64_t RealEnvironment::rank(const Caller &who) { return who.rank; }
int64_t RealEnvironment::quanta(const Caller &) { return setup.quanta; }

double RealEnvironment::now(const Caller &) {
  return static_cast<double>(nanoseconds()) * 1e-9;
}

void RealEnvironment::began(int rank) {
  setup.statistics[rank].began.store(nanoseconds());
}

void RealEnvironment::ended(int rank) {
  setup.statistics[rank].ended.store(nanoseconds());
}

int64_t RealEnvironment::stopRequested(const Caller &who) {
  if (setup.stop && setup.stop->load() != 0)
    return 1;
  constexpr double nano = 1e-9;
  double others = setup.standstill
                      ? static_cast<double>(setup.standstill->load()) * nano
                      : 0;
  if (now(who) - others >= setup.seconds)
    return 1;
  // As a program learns of it one round later at the earliest, the last round
  // is the one in which to say so.
  return setup.steps > 0 &&
         statisticsOf(who).rounds[0].load() >= setup.steps - 1;
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

Status RealEnvironment::work(const Caller &who, const char *name, bool begin) {
  // Those before the first round are measurements of the program's own.
  if (who.round < 0 || std::strcmp(name, "gradient") != 0)
    return Status::ok();
  StrandState &strand = strandOf(who);
  if (begin) {
    strand.gradient = strand.stretched = Clock::now();
    strand.computing = true;
    return Status::ok();
  }
  stretch(who);
  strand.computing = false;
  MemberStatistics &statistics = statisticsOf(who);
  statistics.gradientTime += nanosecondsSince(strand.gradient);
  ++statistics.gradients;
  return Status::ok();
}

/// Who is slow takes longer for all that it has computed since the last time:
/// a part of a gradient leaves as late as if its kernels had been slow.
void RealEnvironment::stretch(const Caller &who) {
  StrandState &strand = strandOf(who);
  auto factors = setup.slow.size(), rank = static_cast<size_t>(who.rank);
  double factor = rank < factors ? setup.slow[rank] : 1;
  if (factor <= 1 || !strand.computing)
    return;
  std::this_thread::sleep_for((Clock::now() - strand.stretched) * (factor - 1));
  strand.stretched = Clock::now();
}

void RealEnvironment::computed(const Caller &who, int64_t samples,
                               double loss) {
  if (who.round < 0)
    return;
  MemberStatistics &statistics = statisticsOf(who);
  StrandState &strand = strandOf(who);
  if (!std::isfinite(loss))
    strand.wrong = loss;
  statistics.loss.fetch_add(loss);
  statistics.samples += samples;
  strand.computed += samples;
  strand.share.samples += samples;
  strand.share.loss += loss;
}

//===----------------------------------------------------------------------===//
// Strands of one member
//===----------------------------------------------------------------------===//

Status RealEnvironment::lock(const Caller &who, int lock, const char *) {
  memberOf(who).locks[static_cast<size_t>(lock)].lock();
  return Status::ok();
}

Status RealEnvironment::unlock(const Caller &who, int lock) {
  memberOf(who).locks[static_cast<size_t>(lock)].unlock();
  return Status::ok();
}

Status RealEnvironment::meet(const Caller &who, int rendezvous, bool &met) {
  Meeting &meeting = *memberOf(who).meetings[static_cast<size_t>(rendezvous)];
  return waits(who, Call::Meet, rendezvous, [&]() -> Status {
    Meeting::Outcome outcome = meeting.meet(who.strand);
    met = outcome == Meeting::Outcome::Met;
    if (outcome != Meeting::Outcome::Abandoned)
      return Status::ok();
    return {ErrorCode::Communication,
            "rank " + std::to_string(who.rank) +
                ": another strand of this member failed"};
  });
}

void RealEnvironment::abandon(int rank) {
  for (auto &meeting : members_[static_cast<size_t>(rank)].meetings)
    meeting->abandon();
}

Status RealEnvironment::next(const Caller &who, bool go) {
  StrandState &strand = strandOf(who);
  strand.cursor.endRound(std::exchange(strand.consumed, true));
  strand.computed = 0;
  std::erase_if(strand.held, [](const Held &held) {
    return held.channel < 0 && held.ticket < 0;
  });
  statisticsOf(who).rounds[who.strand].store(who.round + 1);
  if (setup.rounds) {
    strand.share.round = who.round;
    strand.share.time = nanosecondsSince(begin);
    if (setup.rounds[who.rank].put(strand.share))
      strand.share = {};
  }
  if (strand.wrong != 0)
    return {ErrorCode::Numeric,
            std::string("the loss is ") +
                (std::isnan(strand.wrong) ? "not a number" : "infinite") +
                (setup.learningRate.empty()
                     ? ""
                     : " with learning rate " + setup.learningRate) +
                "; try a smaller --lr, and check the inputs and their "
                "--scale"};
  if (go)
    return setup.boundary ? setup.boundary(who) : Status::ok();
  for (auto &meeting : memberOf(who).meetings)
    meeting->ended(who.strand);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

Status RealEnvironment::ask(const Caller &who, int policy, int entry,
                            std::span<const policy::Value> inputs,
                            std::span<policy::Value> answers) {
  const PolicySpec &spec = setup.program.policies[static_cast<size_t>(policy)];
  if (spec.placement != policy::Placement::Central)
    return memberOf(who).policies->ask(policy, entry, inputs, answers);
  // The question itself tells a policy what became of the rows it dealt.
  strandOf(who).dealt = false;
  return waits(who, Call::Ask, policy, [&] {
    return setup.desk.ask(who, policy, entry, inputs, answers, deadline());
  });
}

Status RealEnvironment::commit(const Caller &who, int64_t seen,
                               int64_t expected, bool &ok) {
  RB_TRY(waits(who, Call::Commit, -1, [&] {
    return setup.desk.commit(who, seen, expected, ok, deadline());
  }));
  strandOf(who).consumed = ok;
  return Status::ok();
}

} // namespace rubato
