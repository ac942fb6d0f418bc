// One worker's run: the loop over rounds that the runtime owns.
#pragma once

#include "abi/context.h"
#include "data/sources.h"
#include "telemetry/metrics.h"
#include "telemetry/progress.h"
#include "telemetry/timeline.h"
#include "train/job.h"

#include <chrono>
#include <optional>

namespace rubato {

class Worker {
public:
  Worker(Job &job, int rank);
  ~Worker();
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  Status run();

private:
  Status start();
  Status writeSettings();
  Status loop();
  Status checkLoss(double loss) const;
  Status evaluate();
  Status finish();
  Status readFlat(Place place, std::vector<char> &flat);
  Status dumpGradients();
  Status dumpParameters();
  Status save();
  Status writeTimeline();
  void summarise();
  double seconds() const;
  bool leads() const { return rank == 0; }

  Job &job;
  const Unit &unit;
  int rank;
  TrainSource trainSource;
  EvalSource evalSource;
  std::unique_ptr<Timeline> timeline; // outlives the context
  rb_ctx *context = nullptr;
  Metrics metrics;
  Progress progress;
  std::chrono::steady_clock::time_point begin;
  RoundRecord last;
  std::optional<EvalRecord> evaluated;
  double trainSeconds = 0; // without evaluations
  bool paused = false;     // an evaluation came after the last round
};

} // namespace rubato
