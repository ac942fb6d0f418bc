// The comm lane of a CPU worker: runs collectives in the order given, on a
// thread of its own when there is somebody to talk to.
//
// Everything on the lane has a ticket, counted from 1. The lane is a queue, so
// one number, the last ticket completed, says what it has reached; events and
// futures are tickets to compare with it.
#pragma once

#include "device/device.h"
#include "support/futex.h"

#include <atomic>
#include <memory>
#include <pthread.h>

namespace rubato {

class CommLane {
public:
  CommLane(Group &group, const ContextOptions &options);
  /// Ends the thread once the collectives still open are finished.
  ~CommLane();

  /// For a worker that has failed: if it leaves with collectives open, ends
  /// the group under its name, so that nobody waits for it.
  void abandon();

  /// Starts the thread if the group needs one.
  Status start();

  /// Gives the lane a collective; copies the ranges. Waits while the queue is
  /// full. Runs it here and now if there is no thread.
  rb_status push(const Collective &call, Status &error);

  /// The ticket of the latest collective; 0 before the first.
  uint64_t issued() const { return issued_.load(std::memory_order_relaxed); }

  /// Whether `ticket` is completed, well or not.
  bool reached(uint64_t ticket) const { return completed_.load() >= ticket; }

  /// Waits for a ticket and says how it ended.
  rb_status wait(uint64_t ticket, Status &error);

private:
  struct Command {
    bool stop = false;
    CallName name;
    int64_t count = 0;
    rb_range ins[maxRanges], outs[maxRanges];
  };
  static constexpr uint64_t capacity = 128; // commands under way

  static void *threadMain(void *lane);
  void serve();
  void run(const Collective &call, uint64_t ticket);
  Command &nextSlot() { return queue[issued() % capacity]; }
  void publish();
  rb_status waitForRoom(Status &error);
  rb_status outcome(uint64_t ticket, Status &error);

  Group &group;
  const ContextOptions &options;
  int spins;
  bool threaded = false;
  pthread_t thread = {};
  std::unique_ptr<Command[]> queue;

  // Written by the worker.
  alignas(64) std::atomic<uint64_t> issued_{0};
  std::atomic<bool> workerSleeps{false};
  // Written by the lane.
  alignas(64) std::atomic<uint64_t> completed_{0};
  std::atomic<bool> laneSleeps{false};

  // The first failure, written once by the lane: the ticket last, so whoever
  // sees the ticket may read the rest.
  std::atomic<uint64_t> failedTicket{UINT64_MAX};
  rb_status failedStatus = RB_OK;
  Status failure;
};

} // namespace rubato
