// What all parts of a simulation share: the members with their strands, the
// clock, the costs, the log and the counts.
#pragma once

#include "abi/calls.h"
#include "sim/costs.h"
#include "sim/event_log.h"
#include "sim/futures.h"
#include "sim/links.h"
#include "sim/schedule.h"
#include "sim/statistics.h"
#include "unit/spec.h"

#include <array>
#include <deque>

namespace rubato::sim {

struct VirtualMember {
  enum class Phase { Init, Strands, Drain, Ended, Model };
  int role = 0;
  Phase phase = Phase::Init;
  bool stop = false;
  /// Those of the role, then one for init, drain and model.
  std::deque<Strand> strands;
};

class Stage {
public:
  Stage(const ProgramSpec &spec, int members, uint64_t seed, Costs &costs,
        EventLog::Sink sink, size_t stackBytes, int64_t maxSteps);

  const RoleSpec &roleOf(int rank) const {
    return spec
        .roles[static_cast<size_t>(crew[static_cast<size_t>(rank)].role)];
  }
  VirtualMember &member(int rank) { return crew[static_cast<size_t>(rank)]; }
  Strand &strand(int rank, int index) {
    return member(rank).strands[static_cast<size_t>(index)];
  }
  MemberStatistics &counts(int rank) {
    return statistics.members[static_cast<size_t>(rank)];
  }
  const std::string &channelName(int channel) const {
    return spec.channels[static_cast<size_t>(channel)].name;
  }
  /// Siblings can notice what a strand does to cells and local policies.
  bool hasSiblings(int rank) const { return roleOf(rank).strands.size() > 1; }

  /// Advances a strand's own clock by what the work takes.
  int64_t spend(Strand &strand, std::string_view work);

  /// Counts an event. True where the log wants it: then its line is open, and
  /// the caller adds what belongs to it and closes it.
  bool opens(const Strand &strand, Call event);
  bool opens(int64_t time, int rank, int strand, int64_t round, Call event);

  /// An error at an operation of a strand.
  Status error(const Strand &strand, std::string_view operation,
               const std::string &what) const;
  /// The strand waits in `operation` for what `why` says.
  Status wait(Strand &strand, const char *operation,
              std::function<std::string()> why);
  /// One line per strand that waits.
  std::string blocked() const;
  /// "rank 1, rank 3 (which has ended)".
  std::string list(const std::vector<int> &ranks) const;

  /// Brings the counts that are kept elsewhere into the statistics.
  void summarise();

  const ProgramSpec &spec;
  const int members;
  const uint64_t seed;
  Costs &costs;
  Schedule schedule;
  Links links;
  EventLog log;
  Statistics statistics;
  Futures futures;
  std::deque<VirtualMember> crew; // strands stay where they are

private:
  std::array<int64_t, callCount> events = {};
};

} // namespace rubato::sim
