// Compiling and simulating rings of gossip.
#include "Bar.h"
#include "Gossip.h"
#include "SideBySide.h"

#include "llvm/Support/FileSystem.h"

#include <algorithm>

using namespace llvm;

double GossipRun::decay() const {
  constexpr double floor = 1e-12;
  std::vector<std::pair<double, double>> above;
  for (auto [at, distance] : points)
    if (distance > floor)
      above.emplace_back(at, std::log(distance));
  if (above.empty())
    return std::nan("");
  double half = above.back().first / 2, n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (auto [at, value] : above)
    if (at > half) {
      n += 1;
      x += at;
      y += value;
      xx += at * at;
      xy += at * value;
    }
  return -(n * xy - x * y) / (n * xx - x * x);
}

double GossipRun::steady(int64_t burnIn) const {
  double sum = 0, count = 0;
  for (auto [at, distance] : points)
    if (at > static_cast<double>(burnIn)) {
      sum += distance;
      count += 1;
    }
  constexpr double effective = kGossipStep / (1 - kGossipMomentum);
  return sum / count / (effective * effective);
}

static const char *nameOf(const GossipTrainer &trainer) {
  return trainer.accelerated ? "a2cid2" : "gossip";
}

std::string GossipRuns::trainerOf(const GossipTrainer &trainer) const {
  return workshop.inside("train-" + std::string(nameOf(trainer)) +
                         "-rate=" + shortNumber(trainer.rate) +
                         (trainer.repeats ? "-repeats" : ""));
}

Error GossipRuns::compileTrainer(const GossipTrainer &trainer) {
  rubato::CompileOptions options;
  options.batch = 1;
  options.loss = "mse";
  options.momentum = kGossipMomentum;
  options.algorithm = nameOf(trainer);
  options.algorithmOptions = {
      "topology=ring", "rate=" + shortNumber(trainer.rate),
      std::string("repeats=") + (trainer.repeats ? "true" : "false")};
  return workshop.compile(options, task.model, trainerOf(trainer));
}

Error GossipRuns::prepare(const std::vector<GossipRun> &runs) {
  Expected<Quadratic> written = writeQuadratic(workshop.inside(""));
  if (!written)
    return written.takeError();
  task = *written;
  Expected<std::string> path = workshop.writeCluster("ring");
  if (!path)
    return path.takeError();
  cluster = *path;
  for (const GossipRun &run : runs)
    if (Error error = compileTrainer(run.trainer))
      return error;
  return Error::success();
}

Expected<std::vector<std::pair<double, double>>>
GossipRuns::simulate(const GossipRun &run, size_t index) {
  // A gradient takes a second.
  constexpr double often = 1, seldom = 10;
  Start start{.trainer = trainerOf(run.trainer),
              .cluster = cluster,
              .workers = run.members,
              .inputs = task.inputs,
              .labels = task.labels,
              .evalInputs = task.evalInputs,
              .evalLabels = task.evalLabels,
              .observe = run.apart ? often : seldom,
              .seed = run.seed,
              .rate = run.apart ? 0 : Quadratic::rate(kGossipStep),
              .metrics =
                  workshop.inside("run-" + std::to_string(index) + ".jsonl"),
              .more = {"--rounds", std::to_string(run.steps)}};
  if (run.apart)
    append_range(start.more, std::vector<std::string>{"--scatter", "1"});
  Finished finished = workshop.run(start);
  std::vector<std::pair<double, double>> points;
  bool written = forEachMetric(start.metrics, [&](const json::Object &line) {
    std::optional<double> seen = line.getNumber("seen");
    std::optional<double> distance = line.getNumber("consensus");
    if (!line.get("summary") && seen && distance && *seen > 0)
      points.emplace_back(*seen / static_cast<double>(run.members), *distance);
  });
  sys::fs::remove(start.metrics);
  if (finished.code || !written)
    return finished.failure("a run of '" + std::string(nameOf(run.trainer)) +
                            "'");
  return points;
}

Error GossipRuns::run(std::vector<GossipRun> &runs) {
  Bar bar(runs.size());
  bar.show("compiling");
  if (Error error = prepare(runs))
    return error;
  // The longest first, so that nobody waits for one in the end.
  std::vector<size_t> order(runs.size());
  for (size_t i = 0; i != order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return runs[a].members * runs[a].steps > runs[b].members * runs[b].steps;
  });
  bar.show("runs");
  return sideBySide(
      order.size(), jobs,
      [&](size_t i) { return simulate(runs[order[i]], order[i]); },
      [&](size_t i, std::vector<std::pair<double, double>> &points) {
        runs[order[i]].points = std::move(points);
        bar.advance();
        bar.show("runs");
        return true;
      });
}
