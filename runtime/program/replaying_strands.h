// The strands of a replay: fibers of one thread that take turns.
//
// A strand runs until it waits for something that another has to do first.
// Who comes next is a matter of the order in which they were added, never of
// time; so a replay does the same thing every time.
#pragma once

#include "support/fiber.h"
#include "support/status.h"

#include <deque>
#include <functional>
#include <memory>
#include <string>

namespace rubato {

class ReplayingStrands {
public:
  /// Something to run; before `run`, or from a strand that runs.
  Status add(std::function<Status()> body);

  /// Runs all to their ends. The first failure ends the waits of all others and
  /// is the result. So is a standstill, which names who waits for what.
  Status run();

  /// For the strand that runs: goes on once `ready` holds. `why` says what for.
  Status waitUntil(std::function<bool()> ready,
                   std::function<std::string()> why);

private:
  struct Strand {
    std::function<bool()> ready; // empty: it does not wait
    std::function<std::string()> why;
    std::unique_ptr<Fiber> fiber;
  };

  /// Lets each that can run do so once; whether any could.
  bool turn();

  std::unique_ptr<Fiber> home; // of the thread that runs
  std::deque<Strand> strands;  // they stay where they are
  Strand *running = nullptr;
  Status failure; // of the first that failed
};

} // namespace rubato
