// What one worker leaves for the others; in shared memory.
#pragma once

#include "support/status.h"

#include <atomic>
#include <cstdint>

namespace rubato {

/// A member's part of an evaluation: sums.
struct EvalShare {
  double loss = 0;
  int64_t correct = 0, valid = 0;
};

struct WorkerSlot {
  // Its share of the last evaluation.
  double evalLoss = 0;
  int64_t evalCorrect = 0, evalValid = 0;
  // Of those in the middle of a program's run, in turns.
  EvalShare halves[2];
  // How it ended.
  std::atomic<int> finished{0};
  int code = 0; // an ErrorCode
  char message[1024] = {};

  void finish(const Status &status);
};

/// The member whose error explains those of the others: its own failure before
/// that of one that only lost its peers. `first` failed first.
int causeOf(const WorkerSlot *slots, int members, int first);

/// Prints the error of a member; returns its exit code.
int reportError(const WorkerSlot &slot, int rank);

} // namespace rubato
