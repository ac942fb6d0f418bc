// Runs a job: members, what they share, and their desk; then all of them as
// processes or as threads, or the only one here.
#include "control/local_desk.h"
#include "launch/boundary.h"
#include "launch/crew.h"
#include "launch/job.h"
#include "launch/record.h"
#include "program/channels.h"
#include "support/memory.h"
#include "telemetry/merge_traces.h"

#include <cstring>
#include <new>
#include <thread>

using namespace rubato;

namespace {

/// Objects of one kind after another in shared memory.
template <class T> T *place(char *&at, int64_t count) {
  constexpr size_t line = 64;
  T *first = nullptr;
  for (int64_t i = 0; i < count; ++i) {
    T *object = new (at) T;
    first = first ? first : object;
    at += sizeof(T);
  }
  at += (line - reinterpret_cast<uintptr_t>(at) % line) % line;
  return first;
}

Status makeShared(Job &job, Memory &memory) {
  // Far more than all members can hold of a queue at once.
  constexpr int64_t returns = 1 << 16;
  constexpr int64_t padding = 6 * 64;
  auto members = static_cast<int64_t>(job.members);
  auto each = static_cast<int64_t>(
      sizeof(WorkerSlot) + sizeof(MemberStatistics) + sizeof(RoundBoard));
  RB_TRY(Memory::sharedMemory(
      static_cast<int64_t>(sizeof(SharedState) + sizeof(EvalBoard)) +
          members * each + SampleQueue::bytes(returns) + padding,
      "state of the members", memory));
  char *at = memory.data();
  job.shared = place<SharedState>(at, 1);
  job.slots = place<WorkerSlot>(at, members);
  job.statistics = place<MemberStatistics>(at, members);
  job.board = place<EvalBoard>(at, 1);
  if (sharesRounds(job.unit.program))
    job.rounds = place<RoundBoard>(at, members);
  job.queue = SampleQueue::make(at, job.train.samples, returns);
  return Status::ok();
}

Status makeDesk(Job &job) {
  if (job.threads() || job.alone()) {
    std::unique_ptr<LocalDesk> desk;
    RB_TRY(LocalDesk::make(job.unit.program, job.members, job.options.seed,
                           job.train.samples, desk));
    job.desk = std::move(desk);
    return Status::ok();
  }
  std::unique_ptr<Decisions> decisions;
  RB_TRY(Decisions::make(job.unit.program, job.members, job.options.seed,
                         job.train.samples, decisions));
  CoordinatorOptions options;
  options.lease = std::max(options.lease, job.deadline());
  options.connectWithin = job.deadline();
  return Coordinator::make(std::move(decisions), options, {}, job.coordinator);
}

/// A server mostly waits; whoever computes gets cores of its own.
void placeAll(Job &job) {
  job.cores = allowedCores();
  job.places.assign(static_cast<size_t>(job.members), {});
  if (!job.options.affinity)
    return;
  std::vector<bool> waiting(static_cast<size_t>(job.members), false);
  for (const ProgramChannel &channel : job.unit.program.channels)
    if (int server = job.unit.program.serverOf(channel, job.members);
        server >= 0)
      waiting[static_cast<size_t>(server)] = true;
  job.places = placeMembers(job.cores, waiting);
}

/// What each strand of a member needed others for when `lost` died.
std::vector<Waited> waitsOf(const Job &job, int rank, int lost) {
  const RoleSpec &role = job.roleOf(rank);
  std::vector<Waited> all;
  for (size_t i = 0; i <= maxStrands; ++i) {
    const WaitNote &note = job.statistics[rank].waits[i];
    int64_t round = note.round.load();
    std::string place = round >= 0           ? "round " + std::to_string(round)
                        : round == initRound ? "before the first round"
                                             : "after the last round";
    if (i < role.strands.size() && role.strands.size() > 1)
      place += " of " + role.strands[i].name;
    all.push_back(
        waitedIn(note, job.unit.program, job.members, rank, lost, place));
  }
  return all;
}

Crew crewOf(Job &job, RunReport &report) {
  Crew crew;
  crew.members = job.members;
  crew.slots = job.slots;
  crew.failed = &job.shared->failed;
  crew.foreground = -1; // progress is ours
  crew.run = [&job](int rank) { return runMember(job, rank); };
  crew.abort = [&job](int lost) {
    if (lost >= 0)
      job.fabric->lost(lost);
    job.fabric->abort();
    // Whoever waits at the desk waits for nothing.
    for (int rank = 0; rank < job.members; ++rank) {
      if (job.coordinator)
        job.coordinator->lost(rank, "the run has failed");
      else
        job.desk->leave(rank);
    }
  };
  crew.waited = [&job](int rank, int lost) { return waitsOf(job, rank, lost); };
  crew.started = [&job](int rank, pid_t pid) {
    if (job.coordinator)
      job.coordinator->expect(rank, pid);
  };
  crew.wait = [&job, &report](std::chrono::milliseconds turn) {
    auto until = std::chrono::steady_clock::now() + turn;
    if (!job.coordinator)
      std::this_thread::sleep_until(until);
    // Questions are served at once; what else there is to do can wait.
    while (job.coordinator && std::chrono::steady_clock::now() < until)
      job.coordinator->step(
          std::chrono::duration_cast<std::chrono::milliseconds>(
              until - std::chrono::steady_clock::now()) +
          std::chrono::milliseconds(1));
    report.tick();
  };
  return crew;
}

} // namespace

/// `--workers` of the role that takes the rest.
Status rubato::castRoles(Job &job) {
  const ProgramSpec &program = job.unit.program;
  int64_t members = 0;
  for (const RoleSpec &role : program.roles)
    members += role.count < 0 ? job.options.workers : role.count;
  constexpr int64_t most = 1024;
  if (members > most)
    return {ErrorCode::Usage, "--workers: at most 1024 members can run"};
  job.members = static_cast<int>(members);
  job.roles = program.rolesOfRanks(job.members);
  for (auto [rank, factor] : job.options.slow)
    if (rank >= members)
      return {ErrorCode::Usage, "--slow " + std::to_string(rank) +
                                    ": there are members 0 to " +
                                    std::to_string(members - 1)};
  for (int rank = 0; rank < job.members; ++rank)
    if (job.roleOf(rank).model >= 0)
      job.evaluators.push_back(rank);
  // A role that does not say what its model is has it at all times.
  if (job.evaluators.empty())
    for (int rank = 0; rank < job.members; ++rank)
      if (job.roleOf(rank).count < 0 || program.roles.size() == 1)
        job.evaluators.push_back(rank);
  return Status::ok();
}

bool rubato::sharesRounds(const ProgramSpec &program) {
  return program.roles.size() == 1 && program.roles[0].strands.size() == 1 &&
         program.roles[0].strands[0].lockstep;
}

int rubato::endTimeline(const TrainOptions &options, int members, int code) {
  const std::string &path = options.timeline;
  if (path.empty() || members == 1)
    return code;
  Status merged = mergeTraces(path, members, code == 0);
  if (merged)
    return code;
  std::fprintf(stderr, "error: %s\n", merged.message().c_str());
  return static_cast<int>(merged.code());
}

int rubato::endStopped(const TrainOptions &options, const SharedState &shared,
                       int code) {
  int signal = shared.stop.load();
  if (code != 0 || !signal || !shared.stoppedEarly.load())
    return code;
  std::fprintf(stderr, "stopped by signal %d (%s) at the end of a round%s\n",
               signal, strsignal(signal),
               options.save.empty() ? "" : "; the model was saved");
  return 128 + signal;
}

/// The only member: nothing of its run needs another thread.
static int runAlone(Job &job, RunReport &report) {
  Status status = runMember(job, 0, [&] { report.tick(); });
  if (!status)
    std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return static_cast<int>(status.code());
}

Status rubato::launch(Job &job, int &code) {
  Memory memory;
  RB_TRY(makeShared(job, memory));
  auto channels = channelsOf(job.unit.program, job.members);
  addConsensusChannel(job, channels);
  RB_TRY(job.threads() ? makeThreadFabric(job.members, channels, job.fabric)
                       : makeSharedFabric(job.members, channels, job.fabric));
  RB_TRY(job.fabric->mapBlocks(
      blocksOf(job.unit.valueBytes, channels, job.members)));
  if (job.options.link)
    RB_TRY(makeRateLimitedFabric(std::move(job.fabric), *job.options.link,
                                 job.fabric));
  job.fabric->excuse([&job] { return BoundaryEvaluation::holdsUp(job); });
  RB_TRY(makeDesk(job));
  placeAll(job);
  if (job.options.evalEvery.value_or(0) > 0 && job.eval.samples > 0 &&
      !BoundaryEvaluation::isPossible(job))
    std::fprintf(stderr,
                 "warning: --eval-every: members of this algorithm have no "
                 "rounds in common; it is evaluated at the end only\n");
  job.begin = std::chrono::steady_clock::now();
  RunReport report(job);
  RB_TRY(report.open());
  stopOnSignals(job.shared->stop);
  if (job.alone()) {
    code = runAlone(job, report);
  } else {
    Crew crew = crewOf(job, report);
    code = job.threads() ? runThreads(crew) : runProcesses(crew);
  }
  int64_t seen = 0;
  for (int rank = 0; rank < job.members; ++rank)
    seen += job.statistics[rank].samples.load();
  job.shared->stoppedEarly.store(seen < job.plan.budget);
  if (!job.options.record.empty())
    code = endRecord(job, code);
  if (code == 0 && job.options.dumpGradients.empty())
    RB_TRY(report.finish());
  code = endTimeline(job.options, job.members, code);
  code = endStopped(job.options, *job.shared, code);
  return Status::ok();
}
