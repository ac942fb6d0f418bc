// What is told of a run, from the numbers that members keep in shared memory.
#include "cli/link.h"
#include "launch/job.h"

#include <algorithm>

using namespace rubato;

RunReport::RunReport(Job &job)
    : job(job), progress(stdout, job.options.quiet, job.plan.epochs,
                         job.plan.samples, job.plan.budget),
      pending(static_cast<size_t>(job.rounds ? job.members : 0)) {}

Status RunReport::open() {
  return job.options.metrics.empty() ? Status::ok()
                                     : metrics.open(job.options.metrics);
}

double RunReport::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                       job.begin)
      .count();
}

void RunReport::tick() {
  constexpr double between = 0.2;
  EvalRecord record;
  while (job.board->take(record)) {
    job.rounds ? rounds(record.round) : interval();
    // What was computed may be further than the model.
    if (last.epoch <= record.epoch)
      progress.epochEnd();
    tell(record);
  }
  if (job.rounds)
    rounds(INT64_MAX);
  else if (seconds() >= last.seconds + between)
    interval();
}

/// Rounds that all members have told, and that end at most with the `until`-th.
void RunReport::rounds(int64_t until) {
  while (true) {
    // Whoever could not tell a round by itself told it with a later one.
    int64_t next = last.round + 1;
    for (int rank = 0; rank < job.members; ++rank) {
      RoundShare &share = pending[static_cast<size_t>(rank)];
      while (share.round + 1 < next) {
        const RoundShare *more = job.rounds[rank].front();
        if (!more || more->round + 1 > until)
          return;
        share = {more->round, share.samples + more->samples,
                 share.loss + more->loss, more->time};
        job.rounds[rank].pop();
      }
      if (share.round + 1 > next) {
        next = share.round + 1;
        rank = -1; // the others up to there
      }
    }
    int64_t seen = last.seen;
    double loss = lossSum;
    int64_t time = 0;
    for (RoundShare &share : pending) {
      seen += share.samples;
      loss += share.loss;
      time = std::max(time, share.time);
      share = {share.round};
    }
    last.round = next;
    if (seen == last.seen)
      continue;
    tellProgress(seen, loss, static_cast<double>(time) * 1e-9);
    metrics.round(last);
  }
}

/// What members have computed since the last time.
void RunReport::interval() {
  int64_t seen = 0;
  double loss = 0;
  for (int rank = 0; rank < job.members; ++rank) {
    seen += job.statistics[rank].samples.load();
    loss += job.statistics[rank].loss.load();
  }
  if (seen == last.seen)
    return;
  last.round = job.rounds ? job.statistics[0].rounds[0].load() : last.round + 1;
  tellProgress(seen, loss, seconds());
  job.rounds ? metrics.round(last) : metrics.interval(last);
}

/// After so many samples, whose losses sum up to `loss`, and so many seconds.
void RunReport::tellProgress(int64_t seen, double loss, double at) {
  // What comes past the budget is of no epoch more.
  int64_t counted = std::min(job.plan.budget, seen);
  last.epoch = (counted - 1) / job.plan.samples + 1;
  last.samples = seen - last.seen;
  last.seen = seen;
  last.loss = (loss - lossSum) / static_cast<double>(last.samples);
  last.seconds = at;
  lossSum = loss;
  progress.round(last);
}

Status RunReport::finish() {
  tick();
  interval(); // of rounds, what there was no room to tell
  progress.epochEnd();
  evaluation();
  metrics.line(summaryLine());
  RB_TRY(metrics.close());
  summarise();
  return Status::ok();
}

void RunReport::evaluation() {
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

void RunReport::tell(const EvalRecord &record) {
  evaluated = record;
  metrics.evaluation(record);
  progress.evaluation(record);
}

void RunReport::summarise() {
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
  int64_t past = std::max<int64_t>(last.seen - job.plan.budget, 0);
  std::string more =
      past ? text(" (+%lld past the budget)", static_cast<long long>(past))
           : "";
  rows.emplace_back("samples", text("%lld by %d members",
                                    static_cast<long long>(last.seen - past),
                                    job.members) +
                                   more);
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
  if (std::string early = earlyText(); !early.empty())
    rows.emplace_back("summed early", early);
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
