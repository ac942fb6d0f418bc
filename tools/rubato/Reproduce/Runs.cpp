#include "Runs.h"

#include "SideBySide.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

/// Options of the algorithm in this setting.
static std::vector<std::string> optionsOf(const Setting &setting,
                                          const Variant &variant) {
  std::vector<std::string> options = variant.options;
  if (setting.steps)
    options.push_back("steps=" + std::to_string(setting.steps));
  return options;
}

std::string Runs::trainerOf(const Setting &setting,
                            const Variant &variant) const {
  std::string name = "train-" + variant.algorithm;
  for (const std::string &option : optionsOf(setting, variant))
    name += "-" + option;
  return workshop.inside(name);
}

Error Runs::compileTrainer(const Setting &setting, const Variant &variant) {
  rubato::CompileOptions options;
  options.batch = study.batch;
  options.loss = "mse";
  options.algorithm = variant.algorithm;
  options.algorithmOptions = optionsOf(setting, variant);
  return workshop.compile(options, tasks.at(setting.noise).model,
                          trainerOf(setting, variant));
}

Error Runs::prepare(const Setting &setting) {
  if (!tasks.count(setting.noise)) {
    std::string data = workshop.inside(formatv("data-{0}", setting.noise));
    if (std::error_code code = sys::fs::create_directories(data))
      return createStringError("cannot make '" + data + "': " + code.message());
    Expected<LeastSquares> task =
        writeLeastSquares(data, setting.noise, study.referenceData);
    if (!task)
      return task.takeError();
    tasks.emplace(setting.noise, *task);
  }
  return workshop.writeCluster(setting.cluster).takeError();
}

/// The number behind `key`, where the text has it.
static std::optional<double> numberAfter(StringRef text, StringRef key) {
  size_t at = text.find(key);
  double value = 0;
  if (at == StringRef::npos ||
      text.substr(at + key.size())
          .take_until([](char c) { return c == ' ' || c == '\n'; })
          .getAsDouble(value))
    return std::nullopt;
  return value;
}

Expected<double> Runs::run(const Plan &plan, int64_t seed,
                           const std::string &metrics) {
  const LeastSquares &task = tasks.at(plan.setting.noise);
  Start start{.trainer = trainerOf(plan.setting, plan.variant),
              .cluster = workshop.inside(plan.setting.cluster + ".toml"),
              .workers = study.workers,
              .inputs = task.inputs,
              .labels = task.labels,
              .evalInputs = task.inputs,
              .evalLabels = task.labels,
              .observe = study.observe,
              .seed = seed,
              .rate = task.rate(plan.factor) * plan.variant.stepScale,
              .metrics = metrics,
              .more = {"--target", shortNumber(task.target(plan.setting.share)),
                       "--time", shortNumber(plan.longest), "--epochs",
                       "1000000"}};
  append_range(start.more, plan.variant.arguments);
  Finished finished = workshop.run(start);
  constexpr int diverged = 5;
  if (finished.code == diverged)
    return Cell::never;
  std::string what = "a run of '" + plan.variant.algorithm + "'";
  if (finished.code)
    return finished.failure(what);
  if (std::optional<double> time = numberAfter(finished.said, "reached at "))
    return *time;
  if (StringRef(finished.said).contains("not reached"))
    return Cell::never;
  return createStringError(
      what + " does not say whether it reached its target: " + finished.said);
}

/// What the last line of a metrics file says of a run that arrived.
static std::optional<Counts> countsIn(const std::string &path) {
  std::optional<Counts> counts;
  forEachMetric(path, [&](const json::Object &line) {
    const json::Object *server = line.getObject("until-target");
    const json::Object *ages = line.getObject("staleness");
    if (!server || !ages)
      return;
    auto number = [&](StringRef key) {
      return server->getNumber(key).value_or(0);
    };
    counts = {number("rounds"), number("uploads"), number("downloads"),
              number("restarts")};
    counts->wasted = 1 - number("useful") / std::max(number("finished"), 1e-9);
    for (const auto &[age, count] : *ages) {
      double versions = 0;
      if (!StringRef(age).getAsDouble(versions))
        counts->staleness = std::max(counts->staleness, versions);
    }
  });
  return counts;
}

Expected<std::vector<double>> Runs::times(const Plan &plan, int64_t seeds,
                                          int64_t hopeless,
                                          std::vector<Counts> *counts) {
  if (Error error = compileTrainer(plan.setting, plan.variant))
    return std::move(error);
  using Outcome = std::pair<double, std::optional<Counts>>;
  std::vector<double> found(static_cast<size_t>(seeds), Cell::never);
  int64_t missed = 0;
  auto work = [&](size_t seed) -> Expected<Outcome> {
    std::string metrics;
    if (counts)
      metrics = workshop.inside("metrics-" + std::to_string(seed) + ".jsonl");
    Expected<double> time = run(plan, static_cast<int64_t>(seed), metrics);
    std::optional<Counts> counted;
    if (counts) {
      if (time && *time != Cell::never)
        counted = countsIn(metrics);
      sys::fs::remove(metrics);
    }
    if (!time)
      return time.takeError();
    if (counts && *time != Cell::never && !counted)
      return createStringError("a run of '" + plan.variant.algorithm +
                               "' does not say what its server did");
    return Outcome{*time, counted};
  };
  auto settle = [&](size_t seed, const Outcome &outcome) {
    found[seed] = outcome.first;
    if (outcome.second)
      counts->push_back(*outcome.second);
    missed += outcome.first == Cell::never;
    return missed < hopeless;
  };
  if (Error failure =
          sideBySide(static_cast<size_t>(seeds), jobs, work, settle))
    return std::move(failure);
  return found;
}

Expected<std::vector<std::pair<double, double>>> Runs::curve(const Plan &plan) {
  const LeastSquares &task = tasks.at(plan.setting.noise);
  std::string metrics = workshop.inside("curve.jsonl");
  Expected<double> time = run(plan, 0, metrics);
  if (!time)
    return time.takeError();
  std::vector<std::pair<double, double>> points;
  // There is no file of one that diverged at once.
  forEachMetric(metrics, [&](const json::Object &line) {
    std::optional<double> seconds = line.getNumber("t");
    std::optional<double> loss = line.getNumber("loss");
    if (!line.get("summary") && seconds && loss)
      points.emplace_back(*seconds, (*loss / 2 - task.optimum) / task.gap);
  });
  sys::fs::remove(metrics);
  return points;
}
