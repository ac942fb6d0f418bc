// One member: its strands as threads, then its model.
#include "control/client.h"
#include "device/staged_fabric.h"
#include "launch/boundary.h"
#include "launch/job.h"
#include "program/recording_environment.h"
#include "program/timing_environment.h"
#include "telemetry/merge_traces.h"
#include "telemetry/timeline.h"

#include <algorithm>
#include <thread>

using namespace rubato;

namespace {

class MemberRun {
public:
  MemberRun(Job &job, int rank, const std::function<void()> &tick)
      : job(job), rank(rank), tick(tick), role(job.roleOf(rank)) {}

  Status run() {
    RB_TRY(keepTo(job.places[static_cast<size_t>(rank)]));
    RB_TRY(connect());
    RB_TRY(start());
    Status status = train();
    if (status)
      status = finish();
    if (!status) {
      fail();
      return status;
    }
    // In good order: nobody waits for this member any more.
    desk->leave(rank);
    job.fabric->leave(rank);
    return status;
  }

private:
  Status connect();
  void makeDevice();
  std::string learningRate() const;
  Status start();
  Status train();
  Status runStrands();
  Status finish();
  void fail();
  Environment &environmentOfMember() {
    if (timing)
      return *timing;
    if (recorder)
      return *recorder;
    return *environment;
  }

  Job &job;
  int rank;
  const std::function<void()> &tick;
  const RoleSpec &role;
  std::unique_ptr<CoordinatorClient> client;
  Desk *desk = nullptr;
  std::unique_ptr<MemberDevice> device;
  std::unique_ptr<StagedFabric> staged; // where the device is out of reach
  Fabric *fabric = nullptr;             // of its values
  std::unique_ptr<Timeline> timeline;   // outlives the member
  std::unique_ptr<RealEnvironment> environment;
  std::unique_ptr<RecordingEnvironment> recorder; // with --record only
  std::unique_ptr<TimingEnvironment> timing;      // with --timeline only
  std::unique_ptr<Member> member;
  std::optional<BoundaryEvaluation> evaluation;
};

Status MemberRun::connect() {
  desk = job.desk.get();
  if (!job.coordinator)
    return Status::ok();
  job.coordinator->forget();
  ClientEvents events;
  events.onGone = [this](const Status &) { job.fabric->abort(); };
  ClientOptions options;
  options.connectWithin = job.deadline();
  RB_TRY(CoordinatorClient::make(job.coordinator->address(), rank, options,
                                 std::move(events), client));
  desk = client.get();
  return Status::ok();
}

std::string MemberRun::learningRate() const {
  const Cell *cell = job.unit.cell("base-lr");
  if (!cell)
    return "";
  char text[32];
  std::snprintf(text, sizeof text, "%g",
                job.options.lr.value_or(cell->defaultValue));
  return text;
}

/// A role of the host stays there, whatever the others compute on.
void MemberRun::makeDevice() {
  fabric = job.fabric.get();
  if (job.options.device != DeviceKind::Apart || role.onHost) {
    device = makeCpuDevice();
    return;
  }
  // Members draw orders of their own.
  auto seed = static_cast<uint64_t>(job.options.deviceSeed.value_or(0));
  device = makeApartDevice(seed * maxMembers + static_cast<uint64_t>(rank));
  staged = std::make_unique<StagedFabric>(
      *fabric, rank, static_cast<int>(job.unit.program.channels.size()));
  device->setCourier([this](bool all) { return staged->passOn(all); });
  fabric = staged.get();
}

Status MemberRun::start() {
  const TrainOptions &options = job.options;
  makeDevice();
  RealSetup setup{.program = job.unit.program,
                  .members = job.members,
                  .rank = rank,
                  .fabric = *fabric,
                  .desk = *desk,
                  .order = {job.train.samples, options.seed, options.shuffle},
                  .quantum = job.unit.quantum,
                  .globalBatch = job.plan.globalBatch,
                  .quanta = job.plan.quanta,
                  .queue = job.queue,
                  .statistics = job.statistics,
                  .rounds = job.rounds,
                  .stop = &job.shared->stop,
                  .slow =
                      std::vector<double>(static_cast<size_t>(job.members), 1),
                  .learningRate = learningRate(),
                  .deadline = job.deadline(),
                  .begin = job.begin,
                  .cores = static_cast<int>(job.cores.size()),
                  .boundary = [this](const Caller &who) {
                    RB_TRY(evaluation->at(who));
                    if (tick && who.strand == 0)
                      tick();
                    return Status::ok();
                  }};
  if (options.steps && !usesCursor(job.unit.program))
    setup.steps = *options.steps;
  // Lockstep members stand still together; workers do not when their server
  // does.
  if (std::ranges::count(job.evaluators, rank) == 0)
    setup.standstill = &job.shared->serverEvaluations;
  if (options.seconds)
    setup.seconds = *options.seconds;
  for (auto [slow, factor] : options.slow)
    setup.slow[static_cast<size_t>(slow)] = factor;
  RB_TRY(RealEnvironment::make(setup, environment));
  if (!options.record.empty())
    RB_TRY(RecordingEnvironment::make({*environment, options.record, rank,
                                       static_cast<int>(role.strands.size()),
                                       job.unit.program.locks},
                                      recorder));
  if (!options.timeline.empty()) {
    std::vector<std::string> lanes;
    for (const StrandSpec &strand : role.strands)
      lanes.push_back(strand.name);
    // And what each of them has under way; those before and behind rounds too.
    for (const StrandSpec &strand : role.strands)
      lanes.push_back("reductions of " + strand.name);
    lanes.emplace_back("other reductions");
    auto strands = static_cast<int>(role.strands.size());
    timeline = std::make_unique<Timeline>(1 << 16, std::move(lanes));
    timing = std::make_unique<TimingEnvironment>(environmentOfMember(),
                                                 *timeline, strands, strands);
  }
  RB_TRY(Member::make({.unit = job.unit,
                       .environment = environmentOfMember(),
                       .rank = rank,
                       .members = job.members,
                       .data = &job.train,
                       .blocks = &job.fabric->blocks(rank),
                       .timeline = timeline.get(),
                       .device = device.get()},
                      member));
  evaluation.emplace(job, *member, *environment, recorder.get());
  member->set("budget", job.plan.budget);
  if (options.lr)
    member->set("base-lr", *options.lr);
  return Status::ok();
}

/// A strand failed: its siblings, and in the end all members, shall know.
void MemberRun::fail() {
  int none = -1;
  job.shared->failed.compare_exchange_strong(none, rank);
  environment->abandon(rank);
  desk->leave(rank);
  job.fabric->lost(rank);
  job.fabric->abort();
}

Status MemberRun::runStrands() {
  std::vector<Status> ends(role.strands.size());
  std::atomic<int> first{-1};
  auto body = [&](int index) {
    Status status = member->strand(index);
    int none = -1;
    if (!status && first.compare_exchange_strong(none, index))
      fail();
    ends[static_cast<size_t>(index)] = std::move(status);
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < role.strands.size(); ++i)
    threads.emplace_back(body, static_cast<int>(i));
  body(0);
  for (std::thread &thread : threads)
    thread.join();
  return first < 0 ? Status::ok() : ends[static_cast<size_t>(first.load())];
}

Status MemberRun::train() {
  RB_TRY(member->init());
  if (!job.options.dumpGradients.empty())
    return Status::ok(); // of the model as it starts
  // Together: or whoever started first computes while the others start.
  RB_TRY(noted(job.statistics[rank].waits[maxStrands], Call::Barrier, -1, -1,
               initRound, [&] {
                 return job.fabric->barrier(
                     rank, std::chrono::steady_clock::now() + job.deadline());
               }));
  environment->began(rank);
  RB_TRY(runStrands());
  environment->ended(rank);
  // Before drain makes them one.
  RB_TRY(measureConsensus(job, *member));
  return member->drain();
}

Status MemberRun::finish() {
  RB_TRY(member->model());
  if (!job.options.dumpGradients.empty()) {
    if (rank != job.evaluators.front())
      return Status::ok();
    RB_TRY(writeGradient(job, *member));
    return writeModel(job, *member);
  }
  if (rank == job.evaluators.front()) {
    int64_t samples = 0;
    RB_TRY(samplesSeen(job, *member, samples));
    job.shared->inModel.store(samples);
  }
  if (std::ranges::count(job.evaluators, rank) > 0) {
    if (recorder) {
      const void *flat = nullptr;
      size_t bytes = modelBytes(job.unit);
      RB_TRY(member->contents(job.unit.parameters, static_cast<int64_t>(bytes),
                              flat));
      recorder->model(flat, bytes);
    }
    if (job.eval.samples > 0 && job.shared->stop.load() == 0)
      RB_TRY(evaluateModel(job, *member));
    RB_TRY(writeModel(job, *member));
  }
  if (recorder)
    RB_TRY(recorder->finish());
  if (!timeline)
    return Status::ok();
  return timeline->writeChromeTrace(
      tracePart(job.options.timeline, job.members, rank), rank);
}

} // namespace

Status rubato::runMember(Job &job, int rank,
                         const std::function<void()> &tick) {
  return MemberRun(job, rank, tick).run();
}
