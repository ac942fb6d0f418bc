// What is told of a simulated run: what applies to its program, in words.
#include "launch/warnings.h"
#include "simulate/job.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <numeric>

using namespace rubato;

namespace {

template <typename... Values>
std::string text(const char *format, Values... values) {
  char buffer[160];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

/// JSON has no infinities.
std::string jsonNumber(double value) {
  return std::isfinite(value) ? text("%.9g", value) : "null";
}

double share(int64_t part, int64_t whole) {
  return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

class Summariser {
public:
  explicit Summariser(const SimulateJob &job)
      : job(job), counts(job.statistics) {
    for (const ProgramChannel &channel : job.unit.program.channels)
      hasMailbox |= channel.kind == "mailbox";
    for (size_t rank = 0; rank != counts.members.size(); ++rank)
      if (job.watch->gradients[rank] > 0 || job.crew[rank]->role().count < 0)
        workers.push_back(rank);
  }

  SimulateSummary make() {
    amounts();
    idle();
    if (hasMailbox)
      mailbox();
    pairs();
    consensus();
    model();
    files();
    warn();
    return std::move(summary);
  }

private:
  void row(const char *name, std::string value) {
    summary.rows.emplace_back(name, std::move(value));
  }
  int64_t sum(int64_t sim::MemberStatistics::*what) const {
    int64_t total = 0;
    for (const sim::MemberStatistics &member : counts.members)
      total += member.*what;
    return total;
  }
  int64_t gradients() const {
    return std::accumulate(job.watch->gradients.begin(),
                           job.watch->gradients.end(), int64_t{0});
  }
  int64_t uses(size_t rank) const {
    const sim::MemberStatistics &member = counts.members[rank];
    return hasMailbox ? member.accepted : member.samples;
  }

  void amounts();
  void costs();
  double effectiveBatch() const;
  void idle();
  void mailbox();
  void pairs();
  void consensus();
  void model();
  void files();
  void warn();

  const SimulateJob &job;
  const sim::Statistics &counts;
  bool hasMailbox = false;
  std::vector<size_t> workers; // ranks
  SimulateSummary summary;
};

/// Samples in one change of the model.
double Summariser::effectiveBatch() const {
  auto samples = static_cast<double>(job.watch->samples.total());
  double ofGradient =
      samples / static_cast<double>(std::max<int64_t>(gradients(), 1));
  if (auto it = counts.events.find("collect"); it != counts.events.end())
    return share(job.inModel, it->second);
  const RoleSpec &role = job.unit.program.roles[0];
  for (size_t i = 0; i != role.strands.size(); ++i)
    if (role.strands[i].lockstep)
      return samples / static_cast<double>(
                           std::max<int64_t>(counts.members[0].rounds[i], 1));
  return ofGradient;
}

void Summariser::amounts() {
  row("virtual time", text("%.6g s", static_cast<double>(counts.time) * 1e-9));
  row("members", std::to_string(job.members));
  const ProgramSpec &program = job.unit.program;
  for (const RoleSpec &role : program.roles)
    for (size_t strand = 0; strand != role.strands.size(); ++strand) {
      int64_t least = INT64_MAX, most = 0;
      for (size_t rank = 0; rank != counts.members.size(); ++rank) {
        if (&job.crew[rank]->role() != &role)
          continue;
        least = std::min(least, counts.members[rank].rounds[strand]);
        most = std::max(most, counts.members[rank].rounds[strand]);
      }
      row(("rounds of " + role.name + "." + role.strands[strand].name).c_str(),
          least == most ? text("%" PRId64, most)
                        : text("%" PRId64 " to %" PRId64, least, most));
    }
  int64_t samples = job.watch->samples.total();
  row("samples",
      text("%" PRId64 " in %" PRId64 " gradients", samples, gradients()));
  row("bytes sent", std::to_string(job.watch->bytes.total()));
  row("effective batch", text("%.4g samples", effectiveBatch()));
  costs();
}

/// What the simulation itself took.
void Summariser::costs() {
  const ProcessorMeter &meter = job.meter;
  double whole = std::max(meter.total(), 1e-9);
  auto percent = [&](Spending kind) {
    return 100 * meter.seconds(kind) / whole;
  };
  row("processor time",
      text("%.2f s: %.1f %% mathematics, %.1f %% batches, %.1f %% copies, "
           "%.1f %% new memory, %.1f %% the rest",
           whole, percent(Spending::Mathematics), percent(Spending::Batches),
           percent(Spending::Copies), percent(Spending::Memory),
           percent(Spending::Rest)));
  double mathematics = std::max(percent(Spending::Mathematics), 1e-9);
  row("overhead",
      text("%.1f %% of the mathematics",
           100 *
               (percent(Spending::Copies) + percent(Spending::Memory) +
                percent(Spending::Rest)) /
               mathematics));
  constexpr double mebi = 1 << 20;
  int64_t kept = job.unit.regionBytes[RB_PRIVATE];
  row("memory", text("%.1f MiB of cells a member, %.1f MiB of values in all",
                     static_cast<double>(kept) / mebi,
                     static_cast<double>(blockBytes()) / mebi));
}

void Summariser::idle() {
  constexpr size_t listed = 8;
  double least = 1, most = 0, all = 0;
  std::string list;
  for (size_t rank : workers) {
    const sim::MemberStatistics &member = counts.members[rank];
    double idle =
        1 - share(member.computing, std::max(member.endedAt, member.computing));
    least = std::min(least, idle);
    most = std::max(most, idle);
    all += idle;
    list +=
        (list.empty() ? "" : ", ") + text("rank %zu %.1f %%", rank, 100 * idle);
  }
  if (workers.empty())
    return;
  row("idle", workers.size() <= listed
                  ? list
                  : text("%.1f %% in the mean, %.1f %% to %.1f %%",
                         100 * all / static_cast<double>(workers.size()),
                         100 * least, 100 * most));
}

void Summariser::mailbox() {
  std::string list;
  int64_t uploads = 0, staleness = 0;
  for (auto [age, count] : counts.staleness) {
    list +=
        (list.empty() ? "" : ", ") + text("%" PRId64 " x %" PRId64, age, count);
    uploads += count;
    staleness += age * count;
  }
  row("staleness",
      list.empty() ? "no upload was accepted"
                   : list + text(" (mean %.3g)", share(staleness, uploads)));
  row("restarts", text("%" PRId64 ", %" PRId64 " uploads came too late",
                       counts.restarts, counts.dropped));
  row("wasted work",
      text("%.1f %% of the samples",
           100 * (1 - share(job.inModel, job.watch->samples.total()))));
  row("longest queue", text("%" PRId64 " uploads", counts.longestQueue));
}

void Summariser::pairs() {
  if (counts.exchanges) {
    row("averagings",
        text("%.3g per gradient",
             share(sum(&sim::MemberStatistics::averagings), gradients())));
    row("repeated pairs", text("%.1f %% of %" PRId64 " exchanges",
                               100 * counts.repeatedShare(), counts.exchanges));
  }
  if (workers.size() < 2)
    return;
  size_t least = workers[0];
  int64_t all = 0;
  for (size_t rank : workers) {
    all += uses(rank);
    if (uses(rank) < uses(least))
      least = rank;
  }
  row("least-used worker",
      text("rank %zu, %.1f %% of the %s", least, 100 * share(uses(least), all),
           hasMailbox ? "uploads" : "samples"));
}

void Summariser::consensus() {
  if (job.consensus >= 0)
    row("consensus distance", text("%.4g", job.consensus));
}

void Summariser::model() {
  int64_t samples = job.watch->samples.total();
  if (samples)
    row("training loss",
        text("%.4f (mean of the run)",
             job.watch->lossSum / static_cast<double>(samples)));
  const EvalRecord &evaluated = job.evaluated;
  if (!evaluated.samples)
    return;
  row("evaluation loss", text("%.4f", evaluated.loss));
  if (evaluated.hasAccuracy)
    row("accuracy",
        text("%.4f (%" PRId64 " of %" PRId64 ")", evaluated.accuracy(),
             evaluated.correct, evaluated.samples));
}

void Summariser::files() {
  for (auto [name, path] :
       {std::pair<const char *, const std::string *>{"saved", &job.train.save},
        {"metrics", &job.train.metrics},
        {"event log", &job.options.log},
        {"report", &job.options.report}})
    if (!path->empty())
      row(name, *path);
}

void Summariser::warn() {
  if (auto locked = warnOfLockedPairs(counts.repeatedPairs, counts.exchanges))
    summary.warnings.push_back(*locked);
  if (auto few = warnOfFewExchanges(job.unit.program, job.members,
                                    sum(&sim::MemberStatistics::averagings),
                                    gradients()))
    summary.warnings.push_back(*few);
  for (size_t rank : workers)
    if (uses(rank) == 0)
      summary.warnings.push_back(warnOfUnusedWorker(static_cast<int>(rank)));
  if (job.watch->carries)
    if (auto late = warnOfLateMomentum(job.unit))
      summary.warnings.push_back(*late);
}

} // namespace

SimulateSummary rubato::summarise(const SimulateJob &job) {
  return Summariser(job).make();
}

std::string rubato::metricsLine(const Observation &seen) {
  std::string line = "{\"t\":" + jsonNumber(seen.seconds) +
                     text(",\"seen\":%" PRId64, seen.seen) +
                     ",\"loss\":" + jsonNumber(seen.model.loss);
  if (seen.model.hasAccuracy)
    line += text(",\"correct\":%" PRId64, seen.model.correct) +
            ",\"accuracy\":" + jsonNumber(seen.model.accuracy());
  line += text(",\"bytes\":%" PRId64, seen.bytes);
  if (seen.consensus >= 0)
    line += ",\"consensus\":" + jsonNumber(seen.consensus);
  return line + "}\n";
}

/// What a server and its workers did, as members of a JSON object.
static std::string serverCounts(const sim::Statistics &counts) {
  auto collect = counts.events.find("collect");
  int64_t rounds = collect == counts.events.end() ? 0 : collect->second;
  int64_t uploads = 0, finished = 0, useful = 0;
  for (const sim::MemberStatistics &member : counts.members) {
    uploads += member.accepted;
    finished += member.finished;
    useful += member.useful;
  }
  return text("\"rounds\":%" PRId64 ",\"uploads\":%" PRId64
              ",\"downloads\":%" PRId64 ",\"restarts\":%" PRId64
              ",\"dropped\":%" PRId64,
              rounds, uploads, counts.downloads, counts.restarts,
              counts.dropped) +
         ",\"finished\":" + jsonNumber(static_cast<double>(finished) * 1e-9) +
         ",\"useful\":" + jsonNumber(static_cast<double>(useful) * 1e-9);
}

std::string rubato::metricsLine(const SimulateJob &job,
                                const SimulateSummary &summary) {
  std::string line =
      "{\"summary\":true,\"t\":" +
      jsonNumber(static_cast<double>(job.statistics.time) * 1e-9) +
      text(",\"seen\":%" PRId64 ",\"bytes\":%" PRId64,
           job.watch->samples.total(), job.watch->bytes.total());
  if (job.evaluated.samples) {
    line += ",\"loss\":" + jsonNumber(job.evaluated.loss);
    if (job.evaluated.hasAccuracy)
      line += text(",\"correct\":%" PRId64, job.evaluated.correct) +
              ",\"accuracy\":" + jsonNumber(job.evaluated.accuracy());
  }
  if (job.consensus >= 0)
    line += ",\"consensus\":" + jsonNumber(job.consensus);
  if (job.options.target)
    line += ",\"target\":" + jsonNumber(*job.options.target) + ",\"reached\":" +
            (job.reached ? jsonNumber(*job.reached) : std::string("null"));
  if (job.statistics.downloads)
    line += ",\"server\":{" + serverCounts(job.statistics) + "}";
  if (job.untilTarget && job.untilTarget->downloads)
    line += ",\"until-target\":{" + serverCounts(*job.untilTarget) + "}";
  line += text(",\"restarts\":%" PRId64 ",\"dropped\":%" PRId64
               ",\"exchanges\":%" PRId64 ",\"repeated-pairs\":%" PRId64,
               job.statistics.restarts, job.statistics.dropped,
               job.statistics.exchanges, job.statistics.repeatedPairs);
  line += ",\"idle\":[";
  for (size_t rank = 0; rank != job.statistics.members.size(); ++rank) {
    const sim::MemberStatistics &member = job.statistics.members[rank];
    double idle =
        1 - share(member.computing, std::max(member.endedAt, member.computing));
    line += (rank ? "," : "") +
            (member.gradients ? jsonNumber(idle) : std::string("null"));
  }
  line += "],\"staleness\":{";
  bool first = true;
  for (auto [age, count] : job.statistics.staleness) {
    line += (first ? "" : ",") + text("\"%" PRId64 "\":%" PRId64, age, count);
    first = false;
  }
  return line + text("},\"warnings\":%zu}\n", summary.warnings.size());
}
