// A job: all that the launcher prepares and every worker, forked or not,
// finds ready.
#pragma once

#include "data/dataset.h"
#include "fabric/group.h"
#include "train/placement.h"
#include "train/plan.h"
#include "train/worker_slot.h"

#include <atomic>
#include <chrono>

namespace rubato {

/// Shared by the launcher and its workers.
struct SharedState {
  std::atomic<int> failed{-1};      // the member of a program that failed first
  std::atomic<int> stop{0};         // the signal that asked to stop
  std::atomic<int> stoppedEarly{0}; // and the run did, before its budget
  // Of a program, in the end: how far members are from each other, and samples
  // in the model. Negative: not known.
  std::atomic<double> consensus{-1};
  std::atomic<int64_t> inModel{-1};
  // Evaluations in the middle of a program's run: members that compute one now,
  // when the last of them was done (of the steady clock), and how long a server
  // was at it while its workers went on; nanoseconds.
  std::atomic<int> evaluating{0};
  std::atomic<int64_t> evaluatedAt{0};
  std::atomic<int64_t> serverEvaluations{0};
};

struct Job {
  const Unit &unit;
  const TrainOptions &options;
  TrainPlan plan;
  Dataset train, eval; // eval without samples: no evaluation
  Group *group = nullptr;
  SharedState *shared = nullptr;
  WorkerSlot *slots = nullptr;    // one per worker
  std::vector<Cores> places = {}; // of each worker

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

/// The end of every run: joins the timelines of members; says that a signal
/// stopped it. Both take and return the exit code.
int endTimeline(const TrainOptions &options, int members, int code);
int endStopped(const TrainOptions &options, const SharedState &shared,
               int code);

/// From now on SIGINT and SIGTERM set `stop`; the second one kills.
void stopOnSignals(std::atomic<int> &stop);

} // namespace rubato
