// Who goes on next in virtual time.
//
// Strands are fibers. One has the baton and runs until it makes a call that
// others can notice; there it waits until it is the earliest of all. Time is in
// integer nanoseconds. Among equals completions come before polls, then the
// lower rank, then the lower strand.
#pragma once

#include "support/fiber.h"
#include "support/marks.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <span>
#include <string>
#include <vector>

namespace rubato::sim {

/// A strand of a virtual member, or its init, drain or model.
struct Strand {
  enum class State { Idle, Running, Ended };
  int rank = 0, index = 0;
  State state = State::Idle;
  int64_t round = 0;
  /// Its own clock: when its next visible call may happen.
  int64_t readyAt = 0;
  /// Durations drawn so far, and micro-batches taken by cursor in this round.
  uint64_t draws = 0;
  int64_t taken = 0;
  /// Samples of the last micro-batch.
  int64_t samples = 0;
  /// Locks that it holds; what is done under a lock is one step.
  int locks = 0;
  /// Time spent waiting for others.
  int64_t waited = 0;
  /// What it waits for, for messages: an operation and the rest of a sentence.
  const char *operation = "";
  std::function<std::string()> why;

  /// What its running repeat waits for, and whether its work was cut short.
  int64_t polled = 0;
  bool aborted = false;
  /// What it has said of the operand of its next reduction on a channel.
  struct {
    int channel = -1;
    Marks marks;
  } early;
  /// Work whose time its clock already has: when it began, how long it takes.
  int64_t workBegan = 0, work = 0;
  /// Time inside gradients since its round began.
  int64_t computed = 0;

  std::unique_ptr<Fiber> fiber;
  bool suspended = false, queued = false;
  uint64_t turn = 0; // counts its turns; only the newest is in force
};

class Schedule {
public:
  /// `arrived` is told that what was sent off arrives.
  using Arrival = std::function<void(int channel, int worker, int64_t parcel)>;

  /// Gives up after so many steps.
  explicit Schedule(size_t stackBytes, int64_t maxSteps = INT64_MAX)
      : stackBytes(stackBytes), maxSteps(maxSteps) {}

  int64_t now() const { return time; }

  /// From the outside of all strands: runs `body` until its first visible call.
  /// A strand that had none has no fiber any more.
  Status start(Strand &strand, std::function<void()> body);

  // From within a strand. They fail when the run is being given up.
  /// Waits until it is this strand's turn at `at`.
  Status step(Strand &strand, int64_t at, bool poll = false);
  /// Waits until somebody wakes the strand.
  Status wait(Strand &strand);
  /// Lets a strand that waits go on at `at`.
  void wake(Strand &strand, int64_t at);
  /// Moves a poll that waits for its turn to `at`, if that is earlier: what the
  /// strand did until then is cut short.
  void hasten(Strand &strand, int64_t at);

  /// Something arrives at a channel at `at`: before everything else that
  /// happens then.
  void send(int64_t at, int channel, int worker, int64_t parcel);
  void onArrival(Arrival callback) { arrived = std::move(callback); }
  int64_t flying() const { return static_cast<int64_t>(arrivals.size()); }

  /// Calls back at 0, period, 2 period, …, when all that happens up to then has
  /// happened. The period is above 0.
  void observe(int64_t period, std::function<void(int64_t)> callback);

  /// The first failure ends the run.
  void fail(Status status);

  /// Runs until nobody can go on. `ended` is told of every strand that does,
  /// outside of all strands: it may start others.
  Status run(const std::function<Status(Strand &)> &ended);
  /// Has every strand that still waits come back with a failure.
  void unwind(std::span<Strand *const> strands);

  /// How the run went so far.
  const Status &result() const { return outcome; }
  int64_t steps() const { return stepCount; }
  int64_t switches() const { return switchCount; }

private:
  struct Turn {
    int64_t at;
    int rank, index;
    bool poll;
    Strand *strand;
    uint64_t number; // of the strand's turns
    bool operator>(const Turn &other) const {
      if (at != other.at)
        return at > other.at;
      if (poll != other.poll)
        return poll;
      if (rank != other.rank)
        return rank > other.rank;
      return index > other.index;
    }
  };
  struct Parcel {
    int64_t at;
    int channel, worker;
    int64_t order, parcel;
    bool operator>(const Parcel &other) const {
      if (at != other.at)
        return at > other.at;
      if (channel != other.channel)
        return channel > other.channel;
      if (worker != other.worker)
        return worker > other.worker;
      return order > other.order;
    }
  };
  template <typename T>
  using Earliest = std::priority_queue<T, std::vector<T>, std::greater<T>>;

  bool isFirst(const Turn &turn) const;
  void push(Strand &strand, int64_t at, bool poll);
  void forgetOldTurns();
  Strand *next(bool inStrand);
  void take(Strand &strand, int64_t at);
  Status suspend(Strand &strand);
  void resume(Strand &strand);

  size_t stackBytes;
  int64_t maxSteps;
  int64_t time = 0, stepCount = 0, switchCount = 0, sent = 0;
  Earliest<Turn> turns;
  Earliest<Parcel> arrivals;
  Arrival arrived;
  Fiber home;
  Strand *current = nullptr;
  bool starting = false; // a strand that begins hands the baton back at once
  Status outcome;        // of the run so far

  std::function<void(int64_t)> observer;
  int64_t period = 0, nextLook = INT64_MAX;
};

} // namespace rubato::sim
