// A job: all that the launcher prepares and every worker, forked or not,
// finds ready.
#pragma once

#include "data/dataset.h"
#include "fabric/group.h"
#include "train/plan.h"

#include <atomic>
#include <chrono>

namespace rubato {

/// What one worker leaves for the others; in shared memory.
struct WorkerSlot {
  // Its share of the last evaluation.
  double evalLoss = 0;
  int64_t evalCorrect = 0, evalValid = 0;
  // How it ended.
  std::atomic<int> finished{0};
  int code = 0; // an ErrorCode
  char message[1024] = {};
};

/// Shared by the launcher and its workers.
struct SharedState {
  std::atomic<int> stop{0};         // the signal that asked to stop
  std::atomic<int> stoppedEarly{0}; // and the run did, before its budget
};

struct Job {
  const Unit &unit;
  const TrainOptions &options;
  TrainPlan plan;
  Dataset train, eval; // eval without samples: no evaluation
  Group *group = nullptr;
  SharedState *shared = nullptr;
  WorkerSlot *slots = nullptr; // one per worker

  int members() const { return static_cast<int>(options.workers); }
  std::chrono::milliseconds deadline() const {
    return std::chrono::milliseconds(
        static_cast<int64_t>(options.deadline * 1000) + 1);
  }
};

/// Runs one worker to its end: rounds, evaluations, files. Prints progress
/// when it is rank 0.
Status runWorker(Job &job, int rank);

/// Runs all workers: in this process when there is one, else forked, and
/// ends all when one fails. Prints the error. Returns the exit code.
int runWorkers(Job &job);

/// From now on SIGINT and SIGTERM set `stop`; the second one kills.
void stopOnSignals(std::atomic<int> &stop);

} // namespace rubato
