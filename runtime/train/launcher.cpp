// The workers of synchronous rounds: one in this process, or several forked.
#include "program/synchronous.h"
#include "telemetry/merge_traces.h"
#include "train/crew.h"
#include "train/job.h"

#include <cstring>

using namespace rubato;

/// A synchronous round has one channel, and its members one strand.
static Waited waitedInGroup(Job &job, int rank, int lost) {
  const WaitNote *note = job.group->note(rank);
  if (!note)
    return {};
  ProgramSpec program;
  program.channels.emplace_back().name = synchronousChannel;
  return waitedIn(*note, program, job.members(), rank, lost,
                  "round " + std::to_string(job.slots[rank].round.load()));
}

static int runForked(Job &job) {
  Crew crew;
  crew.members = job.members();
  crew.slots = job.slots;
  if (job.options.affinity)
    job.places = placeMembers(
        allowedCores(),
        std::vector<bool>(static_cast<size_t>(job.members()), false));
  crew.run = [&](int rank) -> Status {
    if (!job.places.empty())
      RB_TRY(keepTo(job.places[static_cast<size_t>(rank)]));
    return runWorker(job, rank);
  };
  crew.abort = [&](int lost) { job.group->abort(lost); };
  crew.waited = [&](int rank, int lost) {
    return std::vector{waitedInGroup(job, rank, lost)};
  };
  int code = runProcesses(crew);
  return endTimeline(job.options, job.members(), code);
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

int rubato::runWorkers(Job &job) {
  int code = 0;
  if (job.members() == 1) {
    Status status = runWorker(job, 0);
    if (!status)
      std::fprintf(stderr, "error: %s\n", status.message().c_str());
    code = static_cast<int>(status.code());
  } else {
    code = runForked(job);
  }
  return endStopped(job.options, *job.shared, code);
}
