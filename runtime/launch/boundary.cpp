#include "launch/boundary.h"

#include <algorithm>
#include <cstring>
#include <thread>

using namespace rubato;

/// A server has one strand and is the only one of its role.
static bool isServer(const Job &job, int rank) {
  return std::ranges::any_of(
      job.unit.program.channels, [&](const ProgramChannel &channel) {
        return job.unit.program.serverOf(channel, job.members) == rank;
      });
}

bool BoundaryEvaluation::isPossible(const Job &job) {
  const Cell *cell = job.unit.cell("seen");
  if (!cell || cell->dtype != RB_I64)
    return false;
  int leader = job.evaluators.front();
  return sharesRounds(job.unit.program) ||
         (job.evaluators.size() == 1 && isServer(job, leader) &&
          job.roleOf(leader).strands.size() == 1);
}

BoundaryEvaluation::BoundaryEvaluation(Job &job, Member &member,
                                       RealEnvironment &environment,
                                       RecordingEnvironment *recorder)
    : job(job), member(member), environment(environment), recorder(recorder) {
  bool wanted = job.eval.samples > 0 && job.options.evalEvery.value_or(1) > 0;
  if (wanted && isPossible(job) &&
      std::ranges::count(job.evaluators, member.rank()) > 0)
    seen = job.unit.cell("seen");
}

Status BoundaryEvaluation::at(const Caller &who) {
  if (!seen)
    return Status::ok();
  int64_t samples = 0;
  RB_TRY(samplesSeen(job, member, samples));
  int64_t epoch = samples / job.plan.samples;
  int64_t count = epoch / job.options.evalEvery.value_or(1);
  if (count == last)
    return Status::ok();
  last = count;
  environment.pause();
  if (recorder)
    recorder->mute(true);
  Status status = evaluate(who, epoch);
  if (recorder)
    recorder->mute(false);
  environment.resume();
  return std::move(status).annotate("evaluation");
}

/// All shares are written. A share is written again two evaluations later, when
/// whoever adds them up has been here once more.
Status BoundaryEvaluation::meet(const Caller &who) {
  if (job.evaluators.size() == 1)
    return Status::ok();
  return noted(job.statistics[who.rank].waits[who.strand], Call::Barrier, -1,
               -1, who.round, [&] {
                 return job.fabric->barrier(who.rank,
                                            std::chrono::steady_clock::now() +
                                                job.deadline());
               });
}

static int64_t steadyTime() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

bool BoundaryEvaluation::holdsUp(const Job &job) {
  constexpr int64_t perMilli = 1'000'000;
  return job.shared->evaluating.load() > 0 ||
         steadyTime() <
             job.shared->evaluatedAt.load() + job.deadline().count() * perMilli;
}

Status BoundaryEvaluation::evaluate(const Caller &who, int64_t epoch) {
  RB_TRY(member.model());
  auto half = static_cast<size_t>(evaluations++ % 2); // epochs may be skipped
  EvalShare &mine = job.slots[who.rank].halves[half];
  mine = {};
  int64_t begin = steadyTime();
  job.shared->evaluating.fetch_add(1);
  Status status = evaluateShare(job, member, mine);
  job.shared->evaluatedAt.store(steadyTime());
  job.shared->evaluating.fetch_sub(1);
  if (isServer(job, who.rank))
    job.shared->serverEvaluations.fetch_add(steadyTime() - begin);
  RB_TRY(std::move(status));
  RB_TRY(meet(who));
  if (who.rank != job.evaluators.front())
    return Status::ok();
  EvalRecord record = addShares(job, [&](int rank) -> const EvalShare & {
    return job.slots[rank].halves[half];
  });
  record.round = who.round + 1;
  record.epoch = epoch;
  record.seconds = std::chrono::duration<double>(
                       std::chrono::steady_clock::now() - job.begin)
                       .count();
  while (!job.board->put(record)) // the launcher reads several times a second
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return Status::ok();
}
