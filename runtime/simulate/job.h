// A simulated run: what it is made of, what was seen of it, and what is told.
#pragma once

#include "launch/job.h"
#include "program/member.h"
#include "sim/environment.h"
#include "sim/simulation.h"
#include "simulate/model.h"
#include "simulate/options.h"
#include "simulate/watch.h"
#include "support/memory.h"
#include "support/processor_meter.h"
#include "telemetry/progress.h"

namespace rubato {

/// The model at a moment of virtual time.
struct Observation {
  double seconds = 0;
  int64_t seen = 0, bytes = 0; // samples in finished gradients; sent
  EvalRecord model;
  double consensus = -1; // negative: members have none
};

struct SimulateJob {
  SimulateJob(const Unit &unit, const SimulateOptions &options)
      : unit(unit), options(options) {}

  const Unit &unit; // with a program
  const SimulateOptions &options;
  TrainOptions train; // with the number of workers
  TrainPlan plan;
  Dataset data, eval;
  int members = 1;
  int leader = 0; // whose model is evaluated and saved

  std::unique_ptr<sim::Costs> costs;
  std::unique_ptr<sim::SimEnvironment> environment;
  std::unique_ptr<WatchedEnvironment> watch;
  Memory scratch; // of all members: they run one at a time
  std::vector<std::unique_ptr<Member>> crew;
  SharedState shared; // of signals

  // What was seen.
  std::vector<Observation> observations;
  std::optional<double> reached;              // when the target was
  std::optional<sim::Statistics> untilTarget; // when that was known
  sim::Statistics statistics;                 // at the end of training
  EvalRecord evaluated;  // of the trained model; no samples: none
  double consensus = -1; // in the end
  int64_t inModel = 0;   // samples, as the leader counts them
  ProcessorMeter meter;  // of the members and the training, without looking on
};

/// What is told in the end: rows of name and value, and what looks wrong.
struct SimulateSummary {
  std::vector<std::pair<std::string, std::string>> rows;
  std::vector<std::string> warnings;
};
SimulateSummary summarise(const SimulateJob &job);

/// One line of --metrics: an observation, the whole run.
std::string metricsLine(const Observation &observation);
std::string metricsLine(const SimulateJob &job, const SimulateSummary &summary);

/// The page of --report.
std::string reportPage(const SimulateJob &job, const SimulateSummary &summary);

} // namespace rubato
