// The members of a run on this machine: processes or threads that are started,
// watched and ended together.
#pragma once

#include "launch/waited.h"
#include "launch/worker_slot.h"

#include <chrono>
#include <functional>
#include <sys/types.h>
#include <vector>

namespace rubato {

struct Crew {
  int members = 1;
  WorkerSlot *slots = nullptr; // one per member, in shared memory
  /// One member from beginning to end.
  std::function<Status(int rank)> run;
  /// In the launcher: ends the waits of all others; `lost` may be -1.
  std::function<void(int lost)> abort;
  /// In the launcher: process `pid` is this member. Before the first `wait`.
  std::function<void(int rank, pid_t pid)> started = {};
  /// In the launcher, instead of sleeping while members run.
  std::function<void(std::chrono::milliseconds)> wait = {};
  /// In the launcher, after all have ended: what `rank` needed others for when
  /// `lost` died.
  std::function<std::vector<Waited>(int rank, int lost)> waited = {};
  /// A member that knows itself to be the first to fail says so there; -1.
  const std::atomic<int> *failed = nullptr;
  /// This member keeps our streams; lines of the others come with their rank.
  int foreground = 0;
};

/// Forks a process for each member and waits for all; ends all when one fails,
/// by force those that are still there three seconds later. Prints the first
/// cause, and who had to be forced. Returns the exit code.
int runProcesses(const Crew &crew);

/// The same with a thread for each member. A member that does not end when
/// others failed cannot be ended.
int runThreads(const Crew &crew);

} // namespace rubato
