// The command `replay`: its options, the checks before it runs, its summary.
#include "replay/replay.h"

#include "cli/option_values.h"
#include "launch/prepare.h"
#include "replay/record_check.h"

#include <algorithm>
#include <array>
#include <cstdio>

using namespace rubato;

/// Options of a replay; the log has the others.
static constexpr std::array<std::string_view, 12> ours = {
    "input", "label", "eval-input", "eval-label",      "scale", "mean",
    "std",   "save",  "quiet",      "dump-parameters", "help",  "version"};

static Status parseReplay(const Unit &unit, int argc, char **argv,
                          std::string &path, TrainOptions &options) {
  // What stands behind the name of the log is as for a run.
  std::vector<char *> rest(argv + 2, argv + argc);
  if (!rest.empty() && std::string_view(rest[0]).substr(0, 2) != "--") {
    path = rest[0];
    rest.erase(rest.begin());
  }
  for (const char *each : rest) {
    std::string_view name = each;
    if (name.substr(0, 2) != "--")
      continue;
    name = name.substr(2, name.find('=') - 2);
    std::vector<std::string> known = optionNames();
    // Whatever is no option at all is told so by the parser below.
    if (std::ranges::count(ours, name) == 0 &&
        std::ranges::count(known, name) > 0)
      return usage("--" + std::string(name) +
                   ": a replay takes this from the log; leave it out");
  }
  rest.insert(rest.begin(), argv[0]);
  RB_TRY(
      parseOptions(unit, static_cast<int>(rest.size()), rest.data(), options));
  if (path.empty() && !options.help)
    return usage("replay needs the log of a run: replay FILE.log");
  return Status::ok();
}

/// What the command line does not say is as it was recorded.
static void complete(const RecordedRun &run, TrainOptions &options) {
  options.workers = run.workers;
  options.lr = run.lr;
  options.seed = run.seed;
  options.shuffle = run.shuffle;
  for (const auto &[name, file] : run.data.inputs)
    options.train.inputs.try_emplace(name, file);
  for (const auto &[name, file] : run.data.labels)
    options.train.labels.try_emplace(name, file);
  for (const auto &[name, transform] : run.data.transforms) {
    options.train.transforms.try_emplace(name, transform);
    options.eval.transforms.try_emplace(name, transform);
  }
}

static void summarise(const Job &job, const std::string &path, int64_t events) {
  auto text = [](const char *format, auto... values) {
    char buffer[96];
    std::snprintf(buffer, sizeof buffer, format, values...);
    return std::string(buffer);
  };
  int64_t samples = 0, correct = 0, valid = 0;
  double loss = 0;
  for (int rank = 0; rank < job.members; ++rank) {
    samples += job.statistics[rank].samples.load();
    loss += job.slots[rank].evalLoss;
    correct += job.slots[rank].evalCorrect;
    valid += job.slots[rank].evalValid;
  }
  std::vector<std::pair<std::string, std::string>> rows;
  rows.emplace_back("replayed", path);
  rows.emplace_back(
      "samples",
      text("%lld by %d members", static_cast<long long>(samples), job.members));
  rows.emplace_back(
      "events", text("%lld, all as recorded", static_cast<long long>(events)));
  if (valid > 0)
    rows.emplace_back("evaluation loss",
                      text("%.4f", loss / static_cast<double>(valid)));
  bool classes =
      std::ranges::any_of(job.unit.labels, [](const BatchBuffer &each) {
        return each.classes > 0;
      });
  if (valid > 0 && classes)
    rows.emplace_back(
        "accuracy",
        text("%.4f (%lld of %lld)",
             static_cast<double>(correct) / static_cast<double>(valid),
             static_cast<long long>(correct), static_cast<long long>(valid)));
  if (!job.options.save.empty())
    rows.emplace_back("saved", job.options.save);
  Progress(stdout, job.options.quiet).summary(rows);
}

Status rubato::replay(const Unit &unit, int argc, char **argv,
                      Commands commands) {
  std::string path;
  TrainOptions options;
  RB_TRY(parseReplay(unit, argc, argv, path, options));
  if (options.help) {
    std::fputs(helpText(unit, argv[0], commands).c_str(), stdout);
    return Status::ok();
  }
  RB_TRY(checkOutputs(unit, options));
  RunLog log;
  RecordedRun run;
  RB_TRY(readRunLog(path, log));
  RB_TRY(readHeader(unit, log.header, run).annotate(path));
  complete(run, options);
  Job job(unit, options);
  RB_TRY(loadData(unit, options, job.train, job.eval));
  RB_TRY(checkData(job, log.header).annotate(path));
  job.plan.budget = run.budget;
  RB_TRY(castRoles(job));
  std::vector<MemberStatistics> statistics(static_cast<size_t>(job.members));
  std::vector<WorkerSlot> slots(static_cast<size_t>(job.members));
  job.statistics = statistics.data();
  job.slots = slots.data();
  int64_t events = 0;
  RB_TRY(replayMembers(job, log, events));
  summarise(job, path, events);
  return Status::ok();
}
