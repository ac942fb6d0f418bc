// How the members of a program's run worked together: batches, exchanges, the
// age of uploads, and what to warn of.
#include "launch/job.h"
#include "launch/warnings.h"

#include <algorithm>
#include <cinttypes>
#include <nlohmann/json.hpp>

using namespace rubato;

namespace {

template <typename... Values>
std::string text(const char *format, Values... values) {
  char buffer[160];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

double share(int64_t part, int64_t whole) {
  return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

double megabytes(int64_t bytes) { return static_cast<double>(bytes) * 1e-6; }

/// The sum of a number over all members.
template <typename Number>
int64_t sum(const Job &job, Number MemberStatistics::*what) {
  int64_t total = 0;
  for (int rank = 0; rank < job.members; ++rank)
    total += (job.statistics[rank].*what).load();
  return total;
}

/// What all members copied.
CopyCounters copied(const Job &job) {
  CopyCounters total;
  for (int rank = 0; rank < job.members; ++rank) {
    CopyCounters its = job.fabric->copied(rank);
    total.values += its.values;
    total.numbers += its.numbers;
    total.cells += its.cells;
  }
  return total;
}

bool hasMailbox(const Job &job) {
  return std::ranges::any_of(
      job.unit.program.channels,
      [](const ProgramChannel &channel) { return channel.kind == "mailbox"; });
}

/// The share of computed samples that are not in the model: of work that was
/// cut short, of uploads that came too late.
double wasted(const Job &job, int64_t computed) {
  return 1 - share(job.shared->inModel.load(), computed);
}

/// Reductions that were awaited so many rounds after their start.
int64_t delayed(const Job &job, int rounds) {
  int64_t total = 0;
  for (int rank = 0; rank < job.members; ++rank)
    total += job.statistics[rank].delays[rounds].load();
  return total;
}

/// "1 round for 62 reductions"; nothing where all are awaited at once.
std::string delayText(const Job &job) {
  std::string list;
  bool late = false;
  for (int rounds = 0; rounds <= maxDelay; ++rounds)
    if (int64_t count = delayed(job, rounds)) {
      late |= rounds > 0;
      list += (list.empty() ? "" : ", ") +
              text("%d%s for %" PRId64 " reductions", rounds,
                   rounds == 1          ? " round"
                   : rounds == maxDelay ? " rounds or more"
                                        : " rounds",
                   count);
    }
  return late ? list : std::string();
}

int64_t uploadsOfAge(const Job &job, int age) {
  int64_t count = 0;
  for (int rank = 0; rank < job.members; ++rank)
    count += job.statistics[rank].staleness[age].load();
  return count;
}

/// "0 x 12, 1 x 3 (mean 0.2)"
std::string stalenessText(const Job &job) {
  std::string list;
  int64_t uploads = 0, ages = 0;
  for (int age = 0; age < maxStaleness; ++age) {
    int64_t count = uploadsOfAge(job, age);
    if (count)
      list += (list.empty() ? "" : ", ") + text("%d x %" PRId64, age, count);
    uploads += count;
    ages += age * count;
  }
  if (list.empty())
    return "no upload was accepted";
  return list + text(" (mean %.3g)", share(ages, uploads));
}

} // namespace

std::vector<int> RunReport::workers() const {
  std::vector<int> ranks;
  for (int rank = 0; rank < job.members; ++rank)
    if (job.statistics[rank].gradients.load() > 0)
      ranks.push_back(rank);
  return ranks;
}

std::string RunReport::copiedText() const {
  CopyCounters bytes = copied(job);
  return text("%.4g MB of values, %.4g MB of numbers, %.4g MB of cells",
              megabytes(bytes.values), megabytes(bytes.numbers),
              megabytes(bytes.cells));
}

/// How much of the reductions was done while members still computed.
std::string RunReport::earlyText() const {
  SumCounters total;
  for (int rank = 0; rank < job.members; ++rank) {
    SumCounters its = job.fabric->summed(rank);
    total.bytes += its.bytes;
    total.early += its.early;
  }
  return total.bytes && job.members > 1
             ? text("%.1f %% of %.4g MB, before all had started",
                    100 * share(total.early, total.bytes),
                    megabytes(total.bytes))
             : std::string();
}

void RunReport::tellTogether(Rows &rows) const {
  const RoleSpec &role = job.unit.program.roles[0];
  for (size_t i = 0; i != role.strands.size(); ++i)
    if (int64_t rounds = job.statistics[0].rounds[i].load();
        role.strands[i].lockstep && rounds)
      rows.emplace_back("effective batch",
                        text("%.4g samples", share(last.seen, rounds)));
  if (std::string delay = delayText(job); !delay.empty())
    rows.emplace_back("delay", delay);
  if (int64_t exchanges = sum(job, &MemberStatistics::exchanges)) {
    rows.emplace_back(
        "averagings",
        text("%.3g per gradient",
             share(exchanges, sum(job, &MemberStatistics::gradients))));
    rows.emplace_back(
        "repeated pairs",
        text("%.1f %% of %" PRId64 " exchanges",
             100 * share(sum(job, &MemberStatistics::repeated), exchanges),
             exchanges / 2));
  }
  if (double consensus = job.shared->consensus.load(); consensus >= 0)
    rows.emplace_back("consensus distance", text("%.4g", consensus));
  if (!hasMailbox(job))
    return;
  rows.emplace_back("staleness", stalenessText(job));
  rows.emplace_back("restarts",
                    text("%" PRId64 ", %" PRId64 " uploads came too late",
                         sum(job, &MemberStatistics::restarts),
                         sum(job, &MemberStatistics::dropped)));
  rows.emplace_back("wasted work", text("%.1f %% of the samples",
                                        100 * wasted(job, last.seen)));
  std::vector<int> ranks = workers();
  if (ranks.size() < 2)
    return;
  int least = *std::ranges::min_element(ranks, {}, [&](int rank) {
    return job.statistics[rank].accepted.load();
  });
  rows.emplace_back("least-used worker",
                    text("rank %d, %.1f %% of the uploads", least,
                         100 * share(job.statistics[least].accepted.load(),
                                     sum(job, &MemberStatistics::accepted))));
}

/// The last line of the metrics, with the keys that a simulation has.
std::string RunReport::summaryLine() const {
  nlohmann::ordered_json line = {
      {"summary", true}, {"seen", last.seen}, {"seconds", seconds()}};
  if (evaluated.samples) {
    line["loss"] = evaluated.loss;
    if (evaluated.hasAccuracy) {
      line["correct"] = evaluated.correct;
      line["accuracy"] = evaluated.accuracy();
    }
  }
  if (double consensus = job.shared->consensus.load(); consensus >= 0)
    line["consensus"] = consensus;
  int64_t end = 0;
  for (int rank = 0; rank < job.members; ++rank)
    end = std::max(end, job.statistics[rank].ended.load());
  line["idle"] = nlohmann::ordered_json::array();
  for (int rank = 0; rank < job.members; ++rank)
    line["idle"].push_back(
        job.statistics[rank].gradients.load() > 0
            ? nlohmann::ordered_json(job.statistics[rank].idle(end))
            : nlohmann::ordered_json());
  for (const char *what : {"values", "numbers", "cells"})
    line["copied"][what] = nlohmann::ordered_json::array();
  for (int rank = 0; rank < job.members; ++rank) {
    CopyCounters its = job.fabric->copied(rank);
    line["copied"]["values"].push_back(its.values);
    line["copied"]["numbers"].push_back(its.numbers);
    line["copied"]["cells"].push_back(its.cells);
    SumCounters sums = job.fabric->summed(rank);
    line["summed"]["bytes"].push_back(sums.bytes);
    line["summed"]["early"].push_back(sums.early);
  }
  line["exchanges"] = sum(job, &MemberStatistics::exchanges) / 2;
  line["repeated-pairs"] = sum(job, &MemberStatistics::repeated) / 2;
  if (hasMailbox(job)) {
    line["wasted"] = wasted(job, last.seen);
    line["restarts"] = sum(job, &MemberStatistics::restarts);
    line["dropped"] = sum(job, &MemberStatistics::dropped);
    line["staleness"] = nlohmann::ordered_json::object();
    for (int age = 0; age < maxStaleness; ++age)
      if (int64_t count = uploadsOfAge(job, age))
        line["staleness"][std::to_string(age)] = count;
  }
  return line.dump();
}

void RunReport::warn() const {
  auto say = [](const std::string &warning) {
    std::fprintf(stderr, "warning: %s\n", warning.c_str());
  };
  if (auto locked = warnOfLockedPairs(sum(job, &MemberStatistics::repeated),
                                      sum(job, &MemberStatistics::exchanges));
      locked && job.members > 2) // two have nobody else
    say(*locked);
  if (auto few = warnOfFewExchanges(job.unit.program, job.members,
                                    sum(job, &MemberStatistics::exchanges),
                                    sum(job, &MemberStatistics::gradients)))
    say(*few);
  if (hasMailbox(job))
    for (int rank : workers())
      if (job.statistics[rank].accepted.load() == 0)
        say(warnOfUnusedWorker(rank));
  if (!delayText(job).empty())
    if (auto late = warnOfLateMomentum(job.unit))
      say(*late);
}
