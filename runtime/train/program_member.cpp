// One member of a program: its strands as threads, then its model.
#include "control/client.h"
#include "data/sources.h"
#include "program/member.h"
#include "state/dump.h"
#include "state/export_onnx.h"
#include "telemetry/merge_traces.h"
#include "telemetry/timeline.h"
#include "train/program_job.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <thread>

using namespace rubato;

namespace {

class MemberRun {
public:
  MemberRun(ProgramJob &job, int rank)
      : job(job), rank(rank), role(job.roleOf(rank)) {}

  Status run() {
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
  Status start();
  Status train();
  Status runStrands();
  Status finish();
  Status evaluate(int64_t index);
  Status writeModel(bool leads);
  int64_t samplesSeen() const;
  void fail();

  ProgramJob &job;
  int rank;
  const RoleSpec &role;
  std::unique_ptr<CoordinatorClient> client;
  Desk *desk = nullptr;
  std::unique_ptr<Timeline> timeline; // outlives the member
  std::unique_ptr<RealEnvironment> environment;
  std::unique_ptr<Member> member;
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

Status MemberRun::start() {
  const TrainOptions &options = job.options;
  RealSetup setup{.program = job.unit.program,
                  .members = job.members,
                  .rank = rank,
                  .fabric = *job.fabric,
                  .desk = *desk,
                  .order = {job.train.samples, options.seed, options.shuffle},
                  .quantum = job.unit.quantum,
                  .globalBatch = job.plan.globalBatch,
                  .quanta = job.plan.quanta,
                  .queue = job.queue,
                  .statistics = job.statistics,
                  .stop = &job.shared->stop,
                  .slow =
                      std::vector<double>(static_cast<size_t>(job.members), 1),
                  .deadline = job.deadline(),
                  .begin = job.begin};
  if (options.steps && !usesCursor(job.unit.program))
    setup.steps = *options.steps;
  if (options.seconds)
    setup.seconds = *options.seconds;
  for (auto [slow, factor] : options.slow)
    setup.slow[static_cast<size_t>(slow)] = factor;
  RB_TRY(RealEnvironment::make(setup, environment));
  if (!options.timeline.empty()) {
    std::vector<std::string> lanes;
    for (const StrandSpec &strand : role.strands)
      lanes.push_back(strand.name);
    timeline = std::make_unique<Timeline>(1 << 16, std::move(lanes));
  }
  RB_TRY(Member::make({.unit = job.unit,
                       .environment = *environment,
                       .rank = rank,
                       .members = job.members,
                       .data = &job.train,
                       .timeline = timeline.get()},
                      member));
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
  // Together: or whoever started first computes while the others start.
  RB_TRY(job.fabric->barrier(rank, std::chrono::steady_clock::now() +
                                       job.deadline()));
  environment->began(rank);
  RB_TRY(runStrands());
  environment->ended(rank);
  return member->drain();
}

Status MemberRun::finish() {
  RB_TRY(member->model());
  auto place = std::find(job.evaluators.begin(), job.evaluators.end(), rank);
  if (place != job.evaluators.end()) {
    if (job.eval.samples > 0 && job.shared->stop.load() == 0)
      RB_TRY(evaluate(place - job.evaluators.begin()));
    RB_TRY(writeModel(place == job.evaluators.begin()));
  }
  if (!timeline)
    return Status::ok();
  return timeline->writeChromeTrace(
      tracePart(job.options.timeline, job.members, rank), rank);
}

Status MemberRun::evaluate(int64_t index) {
  WorkerSlot &slot = job.slots[rank];
  Share share = shareOf(job.eval.samples,
                        static_cast<int64_t>(job.evaluators.size()), index);
  std::vector<int64_t> rows;
  for (int64_t done = 0; done < share.count; done += job.unit.quantum) {
    int64_t count = std::min(job.unit.quantum, share.count - done);
    rows.resize(static_cast<size_t>(count));
    std::iota(rows.begin(), rows.end(), share.begin + done);
    Member::Score score;
    RB_TRY(member->evaluate(job.eval, rows, score));
    slot.evalLoss += score.loss;
    slot.evalCorrect += score.correct;
    slot.evalValid += score.valid;
  }
  return Status::ok();
}

/// Samples in the model as the program counts them.
int64_t MemberRun::samplesSeen() const {
  const Cell *cell = job.unit.cell("seen");
  if (!cell || cell->dtype != RB_I64)
    return job.statistics[rank].samples.load();
  int64_t seen = 0;
  std::memcpy(&seen, member->address(cell->place), sizeof seen);
  return seen;
}

Status MemberRun::writeModel(bool leads) {
  const void *flat = member->address(job.unit.parameters);
  if (leads && !job.options.save.empty())
    RB_TRY(saveOnnx(job.unit, flat, job.options.save));
  std::string path = job.options.dumpParameters;
  size_t wildcard = path.find("%r");
  if (path.empty() || (!leads && wildcard == path.npos))
    return Status::ok();
  if (wildcard != path.npos)
    path.replace(wildcard, 2, std::to_string(rank));
  return dumpSlots(job.unit, flat, path,
                   {{"samples", std::to_string(samplesSeen())}});
}

} // namespace

Status rubato::runMember(ProgramJob &job, int rank) {
  return MemberRun(job, rank).run();
}
