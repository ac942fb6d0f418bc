// Schedules: virtual time, and random choices.
#include "tools/rubato-interp/Schedule.h"

#include "policy/random.h"

using namespace mlir;

namespace rubato::interp {

/// The next choice in virtual time: by time, polls last, then rank and strand.
static Choice earliest(Machine &machine, const World &world,
                       ArrayRef<Choice> choices, int64_t &time) {
  Choice best;
  time = INT64_MAX;
  bool bestPolls = false;
  for (const Choice &each : choices) {
    int64_t at = machine.timeOf(world, each.rank, each.strand);
    bool polls = machine.isPoll(world, each.rank, each.strand);
    if (std::tie(at, polls) < std::tie(time, bestPolls) || time == INT64_MAX) {
      best = each;
      time = at;
      bestPolls = polls;
    }
  }
  return best;
}

static LogicalResult step(Machine &machine, World &world,
                          ArrayRef<Choice> choices) {
  if (!machine.config.timed) {
    policy::CounterRandom random(machine.config.seed, "schedule",
                                 {0, world.steps});
    return machine.apply(world, choices[random.below(choices.size())]);
  }
  int64_t time = INT64_MAX;
  Choice choice = earliest(machine, world, choices, time);
  // Arrivals are completions: before everything else of their time.
  if (std::optional<int64_t> arrival = machine.nextArrival(world);
      arrival && *arrival <= time)
    return machine.arrive(world);
  world.now = std::max(world.now, time);
  return machine.apply(world, choice);
}

/// Lets die whose time has come.
static LogicalResult applyDeaths(Machine &machine, World &world,
                                 std::vector<Death> &deaths) {
  for (auto it = deaths.begin(); it != deaths.end();) {
    const Strand &strand = *world.members[it->rank]->strands[0];
    bool due = strand.round > it->round ||
               (strand.round == it->round && strand.steps >= it->step &&
                strand.status != Strand::Status::Idle);
    if (!due) {
      ++it;
      continue;
    }
    if (failed(machine.kill(world, it->rank)))
      return failure();
    it = deaths.erase(it);
  }
  return success();
}

void describeBlocked(Machine &machine, const World &world, raw_ostream &os) {
  for (int rank = 0; rank != machine.program.ranks; ++rank)
    for (int i = 0, n = world.members[rank]->strands.size(); i != n; ++i) {
      std::string why;
      Operation *op = machine.operationOf(world, rank, i);
      if (!op || machine.isEnabled(world, rank, i, &why))
        continue;
      os << "  rank " << rank << ", strand " << i << ", round "
         << world.members[rank]->strands[i]->round << ": " << op->getName()
         << " at " << op->getLoc() << ": " << why << "\n";
    }
}

LogicalResult runToEnd(Machine &machine, World &world,
                       ScheduleOptions options) {
  int64_t limit = world.steps + options.maxSteps;
  while (true) {
    if (failed(applyDeaths(machine, world, options.deaths)))
      return failure();
    if (machine.isOver(world))
      return success();
    std::vector<Choice> choices = machine.choices(world);
    if (choices.empty() &&
        !(machine.config.timed && machine.nextArrival(world).has_value())) {
      llvm::errs() << "error: deadlock: no strand can go on\n";
      describeBlocked(machine, world, llvm::errs());
      return failure();
    }
    if (world.steps >= limit) {
      llvm::errs() << "error: not over after " << options.maxSteps
                   << " steps; give --rounds, or raise --max-steps\n";
      return failure();
    }
    if (failed(step(machine, world, choices)))
      return failure();
  }
}

} // namespace rubato::interp
