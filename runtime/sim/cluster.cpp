// Durations in a described cluster. Draws are by counter, so that a run can be
// had again, and a member's durations do not depend on what others do.
#include "sim/cluster.h"

#include "policy/random.h"
#include "sim/nanoseconds.h"

#include <algorithm>
#include <cmath>

namespace rubato::sim {

Status ClusterCosts::make(Cluster cluster, const ProgramSpec &spec, int members,
                          uint64_t seed, std::unique_ptr<ClusterCosts> &costs) {
  std::vector<bool> serves(static_cast<size_t>(members));
  for (const ProgramChannel &channel : spec.channels)
    if (int server = spec.serverOf(channel, members); server >= 0)
      serves[static_cast<size_t>(server)] = true;
  auto wanted =
      static_cast<size_t>(std::count(serves.begin(), serves.end(), false));
  size_t given = cluster.workers.size();
  if (given == 0 || (given != wanted && !cluster.repeat) || given > wanted)
    return Status::user(
        "the cluster has " + std::to_string(given) + " workers, the run " +
        std::to_string(wanted) + " members that compute; simulate " +
        std::to_string(given) +
        " of them, or write repeat = true to use its list over and over");
  RB_TRY(checkUplinks(cluster.uplinks, members));
  std::unique_ptr<ClusterCosts> made(new ClusterCosts);
  made->uplinkOf = uplinksOfRanks(cluster.uplinks, members);
  made->cluster = std::move(cluster);
  made->seed = seed;
  made->phases.resize(static_cast<size_t>(members));
  size_t next = 0;
  for (bool isServer : serves)
    made->workers.push_back(isServer ? nullptr
                                     : &made->cluster.workers[next++ % given]);
  costs = std::move(made);
  return Status::ok();
}

double ClusterCosts::factor(const DurationLaw &law, const Work &work,
                            uint64_t &draws) {
  // Strands of a member draw apart from one another.
  int64_t turn = law.perJob ? work.round : static_cast<int64_t>(draws++);
  policy::CounterRandom random(seed, law.perJob ? "job" : "micro-batch",
                               {work.rank, turn * 16 + work.strand});
  switch (law.kind) {
  case DurationLaw::Kind::Constant:
  case DurationLaw::Kind::Phases:
    return 1;
  case DurationLaw::Kind::Jitter:
    return 1 + law.share * (2 * random.uniform() - 1);
  case DurationLaw::Kind::Exponential:
    return law.shift + law.mean * random.exponential();
  case DurationLaw::Kind::Pareto:
    return (law.shape - 1) / law.shape *
           std::pow(1 - random.uniform(), -1 / law.shape);
  case DurationLaw::Kind::Trace:
    return law.factors[static_cast<size_t>(std::max<int64_t>(turn, 0)) %
                       law.factors.size()];
  }
  return 1;
}

double ClusterCosts::lengthOf(const DurationLaw &law, int rank,
                              int64_t number) const {
  policy::CounterRandom random(seed, "phase", {rank, number});
  return random.exponential() *
         (number % 2 ? law.slowSeconds : law.normalSeconds);
}

/// How long work of so many normal seconds takes that begins at `start`.
double ClusterCosts::throughPhases(const DurationLaw &law, int rank,
                                   double start, double seconds) {
  Phase &phase = phases[static_cast<size_t>(rank)];
  if (phase.end < 0 || start < phase.begin)
    phase = {0, 0, lengthOf(law, rank, 0)};
  auto advance = [&] {
    ++phase.number;
    phase.begin = phase.end;
    phase.end += lengthOf(law, rank, phase.number);
  };
  while (phase.end <= start)
    advance();
  double at = start;
  while (true) {
    double pace = phase.number % 2 ? law.slow : 1; // seconds per normal second
    if (double needed = seconds * pace; at + needed <= phase.end)
      return at + needed - start;
    seconds -= (phase.end - at) / pace;
    at = phase.end;
    advance();
  }
}

int64_t ClusterCosts::work(const Work &work, uint64_t &draws) {
  const ClusterWorker *worker = workers[static_cast<size_t>(work.rank)];
  if (!worker || work.name != "gradient")
    return 0;
  double base = worker->secondsPerSample * static_cast<double>(work.samples) +
                worker->overhead;
  base *= factor(worker->law, work, draws);
  if (worker->law.kind == DurationLaw::Kind::Phases)
    base = throughPhases(worker->law, work.rank,
                         static_cast<double>(work.start) * 1e-9, base);
  return nanoseconds(base);
}

Passage ClusterCosts::passage(const std::optional<double> &fixed,
                              int64_t bytes) const {
  if (fixed)
    return {.transfer = nanoseconds(*fixed)};
  const ClusterLink &link = cluster.link;
  double transfer =
      link.bandwidth > 0 ? static_cast<double>(bytes) / link.bandwidth : 0;
  return {nanoseconds(transfer), nanoseconds(link.latency),
          /*throughServer=*/true};
}

/// How long every member takes to send so many bytes to the next rank, all at
/// once. An uplink carries those of all its members whose next is elsewhere.
double ClusterCosts::ringStep(double bytes) const {
  const ClusterLink &link = cluster.link;
  double transfer = link.bandwidth > 0 ? bytes / link.bandwidth : 0;
  double latency = 0; // of uplinks
  std::vector<double> carried(cluster.uplinks.size());
  auto latencyOf = [&](int uplink) {
    return uplink < 0
               ? 0
               : static_cast<double>(
                     cluster.uplinks[static_cast<size_t>(uplink)].latency) *
                     1e-9;
  };
  for (size_t rank = 0; rank != uplinkOf.size(); ++rank) {
    int from = uplinkOf[rank], to = uplinkOf[(rank + 1) % uplinkOf.size()];
    if (from == to)
      continue;
    latency = std::max(latency, latencyOf(from) + latencyOf(to));
    if (from >= 0)
      carried[static_cast<size_t>(from)] += bytes;
  }
  // As many enter an uplink's members as leave them: the ring is closed.
  for (size_t i = 0; i != carried.size(); ++i)
    if (double bandwidth = cluster.uplinks[i].bandwidth; bandwidth > 0)
      transfer = std::max(transfer, carried[i] / bandwidth);
  return transfer + link.latency + latency;
}

int64_t ClusterCosts::collective(const Reduction &reduction) {
  if (cluster.link.allReduce)
    return nanoseconds(*cluster.link.allReduce);
  // A ring: every member sends and receives 2 (n - 1) times a share, each
  // after the one before has come, so that latencies hold it up as well.
  double n = reduction.members;
  return nanoseconds(2 * (n - 1) *
                     ringStep(static_cast<double>(reduction.bytes) / n));
}

Passage ClusterCosts::exchange(int, int64_t, int64_t bytes) {
  return passage(cluster.link.exchange, bytes);
}

Passage ClusterCosts::message(int, int64_t, int64_t bytes) {
  return passage(cluster.link.message, bytes);
}

int64_t ClusterCosts::ask(int, int64_t) {
  // There and back.
  return nanoseconds(cluster.link.ask.value_or(2 * cluster.link.latency));
}

} // namespace rubato::sim
