// What is told of a program's run, from the numbers that members keep in
// shared memory.
#include "train/link.h"
#include "train/program_job.h"

#include <algorithm>

using namespace rubato;

ProgramReport::ProgramReport(ProgramJob &job)
    : job(job),
      progress(stdout, job.options.quiet, job.plan.epochs, job.plan.samples) {}

Status ProgramReport::open() {
  return job.options.metrics.empty() ? Status::ok()
                                     : metrics.open(job.options.metrics);
}

double ProgramReport::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                       job.begin)
      .count();
}

void ProgramReport::tick() {
  constexpr double between = 0.2;
  EvalRecord record;
  while (job.board->take(record)) {
    interval();
    // What was computed may be further than the model.
    if (last.epoch <= record.epoch)
      progress.epochEnd();
    tell(record);
  }
  if (seconds() >= last.seconds + between)
    interval();
}

/// What members have computed since the last time.
void ProgramReport::interval() {
  int64_t seen = 0;
  double loss = 0;
  for (int rank = 0; rank < job.members; ++rank) {
    seen += job.statistics[rank].samples.load();
    loss += job.statistics[rank].loss.load();
  }
  if (seen == last.seen)
    return;
  int64_t epoch = (seen - 1) / job.plan.samples + 1;
  if (last.round > 0 && epoch != last.epoch)
    progress.epochEnd();
  last.round += 1;
  last.epoch = epoch;
  last.samples = seen - last.seen;
  last.seen = seen;
  last.loss = (loss - lossSum) / static_cast<double>(last.samples);
  last.seconds = seconds();
  lossSum = loss;
  metrics.interval(last);
  progress.round(last);
}

Status ProgramReport::finish() {
  tick();
  interval();
  progress.epochEnd();
  evaluation();
  metrics.line(summaryLine());
  RB_TRY(metrics.close());
  summarise();
  return Status::ok();
}

void ProgramReport::evaluation() {
  evaluated = {}; // those in mid-run were of other models
  EvalShare share;
  EvalRecord record = addShares(job, [&](int rank) -> const EvalShare & {
    const WorkerSlot &slot = job.slots[rank];
    return share = {slot.evalLoss, slot.evalCorrect, slot.evalValid};
  });
  // A signal may have come while some evaluated already.
  if (record.samples == 0 || record.samples != job.eval.samples)
    return;
  record.round =
      job.statistics[job.evaluators.front()].rounds[0].load(); // as in mid-run
  record.epoch = last.epoch;
  record.seconds = seconds();
  tell(record);
}

void ProgramReport::tell(const EvalRecord &record) {
  evaluated = record;
  metrics.evaluation(record);
  progress.evaluation(record);
}

void ProgramReport::summarise() {
  auto text = [](const char *format, auto... values) {
    char buffer[96];
    std::snprintf(buffer, sizeof buffer, format, values...);
    return std::string(buffer);
  };
  Rows rows;
  int64_t end = 0;
  std::string idle, gradients;
  for (int rank = 0; rank < job.members; ++rank) {
    const MemberStatistics &member = job.statistics[rank];
    end = std::max(end, member.ended.load());
    int64_t count = member.gradients.load();
    if (count == 0)
      continue;
    const char *comma = idle.empty() ? "" : ", ";
    idle += comma + text("rank %d %.1f %%", rank, 100 * member.idle(end));
    gradients +=
        comma + text("rank %d %lld", rank, static_cast<long long>(count));
  }
  rows.emplace_back("samples",
                    text("%lld by %d members",
                         static_cast<long long>(last.seen), job.members));
  for (size_t role = 0; role != job.unit.program.roles.size(); ++role) {
    const RoleSpec &spec = job.unit.program.roles[role];
    for (size_t strand = 0; strand != spec.strands.size(); ++strand) {
      int64_t least = INT64_MAX, most = 0;
      for (int rank = 0; rank < job.members; ++rank) {
        if (job.roles[static_cast<size_t>(rank)] != static_cast<int>(role))
          continue;
        int64_t count = job.statistics[rank].rounds[strand].load();
        least = std::min(least, count);
        most = std::max(most, count);
      }
      rows.emplace_back(
          "rounds of " + spec.name + "." + spec.strands[strand].name,
          least == most
              ? std::to_string(most)
              : std::to_string(least) + " to " + std::to_string(most));
    }
  }
  double time = static_cast<double>(end) * 1e-9;
  auto seen = static_cast<double>(last.seen);
  rows.emplace_back("time", text("%.2f s, %.0f samples/s", time,
                                 time > 0 ? seen / time : 0.));
  rows.emplace_back("idle", idle);
  rows.emplace_back("gradients", gradients);
  rows.emplace_back("copied", copiedText());
  rows.emplace_back("cores", describePlaces(job.places, job.cores.size()));
  if (job.options.link)
    rows.emplace_back("link", describeLink(*job.options.link));
  tellTogether(rows);
  rows.emplace_back("training loss", text("%.4f (mean of the last epoch)",
                                          progress.epochLoss()));
  if (evaluated.samples) {
    rows.emplace_back("evaluation loss", text("%.4f", evaluated.loss));
    if (evaluated.hasAccuracy)
      rows.emplace_back("accuracy",
                        text("%.4f (%lld of %lld)", evaluated.accuracy(),
                             static_cast<long long>(evaluated.correct),
                             static_cast<long long>(evaluated.samples)));
  }
  for (auto [name, path] : {std::pair<const char *, const std::string *>{
                                "saved", &job.options.save},
                            {"metrics", &job.options.metrics},
                            {"timeline", &job.options.timeline}})
    if (!path->empty())
      rows.emplace_back(name, *path);
  progress.summary(rows);
  warn();
}
