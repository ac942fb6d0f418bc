#include "sim/stage.h"

#include <algorithm>

namespace rubato::sim {

Stage::Stage(const ProgramSpec &spec, int members, uint64_t seed, Costs &costs,
             EventLog::Sink sink, size_t stackBytes, int64_t maxSteps)
    : spec(spec), members(members), seed(seed), costs(costs),
      schedule(stackBytes, maxSteps), links(members, costs.uplinks()),
      log(std::move(sink)) {
  std::vector<int> roles = spec.rolesOfRanks(members);
  for (int rank = 0; rank != members; ++rank) {
    VirtualMember &made = crew.emplace_back();
    made.role = roles[static_cast<size_t>(rank)];
    size_t count = spec.roles[static_cast<size_t>(made.role)].strands.size();
    for (size_t i = 0; i != count + 1; ++i) {
      Strand &strand = made.strands.emplace_back();
      strand.rank = rank;
      strand.index = static_cast<int>(i);
    }
    MemberStatistics &counts = statistics.members.emplace_back();
    counts.waiting.resize(count);
    counts.rounds.resize(count);
  }
}

int64_t Stage::spend(Strand &strand, std::string_view work) {
  int64_t taken = costs.work({work, strand.rank, strand.index, strand.round,
                              strand.readyAt, strand.samples},
                             strand.draws);
  // Far below the end of time, so that nothing overflows.
  strand.readyAt = std::min(strand.readyAt + taken, INT64_MAX / 4);
  return taken;
}

bool Stage::opens(int64_t time, int rank, int strand, int64_t round,
                  Call event) {
  ++events[static_cast<size_t>(event)];
  if (!log.isOn())
    return false;
  log.open(time, rank, strand, round, callName(event));
  return true;
}

bool Stage::opens(const Strand &strand, Call event) {
  return opens(strand.readyAt, strand.rank, strand.index, strand.round, event);
}

Status Stage::error(const Strand &strand, std::string_view operation,
                    const std::string &what) const {
  return Status::user("rank " + std::to_string(strand.rank) + ", strand " +
                      std::to_string(strand.index) + ", round " +
                      std::to_string(strand.round) + ": " +
                      std::string(operation) + ": " + what);
}

Status Stage::wait(Strand &strand, const char *operation,
                   std::function<std::string()> why) {
  strand.operation = operation;
  strand.why = std::move(why);
  Status status = schedule.wait(strand);
  strand.why = nullptr;
  return status;
}

std::string Stage::blocked() const {
  std::string text;
  for (const VirtualMember &each : crew)
    for (const Strand &strand : each.strands)
      if (strand.suspended && strand.why)
        text += "\n  rank " + std::to_string(strand.rank) + ", strand " +
                std::to_string(strand.index) + ", round " +
                std::to_string(strand.round) + ": " + strand.operation + ": " +
                strand.why();
  return text;
}

std::string Stage::list(const std::vector<int> &ranks) const {
  std::string text;
  for (int rank : ranks) {
    text += (text.empty() ? "rank " : ", rank ") + std::to_string(rank);
    if (crew[static_cast<size_t>(rank)].phase == VirtualMember::Phase::Ended)
      text += " (which has ended)";
  }
  return text;
}

void Stage::summarise() {
  for (size_t i = 0; i != events.size(); ++i)
    if (events[i])
      statistics.events[callNames[i].text] = events[i];
  for (size_t rank = 0; rank != crew.size(); ++rank) {
    MemberStatistics &counts = statistics.members[rank];
    for (size_t i = 0; i != counts.rounds.size(); ++i) {
      counts.rounds[i] = crew[rank].strands[i].round;
      counts.waiting[i] = crew[rank].strands[i].waited;
    }
  }
  statistics.steps = schedule.steps();
  statistics.switches = schedule.switches();
  statistics.time = schedule.now();
}

} // namespace rubato::sim
