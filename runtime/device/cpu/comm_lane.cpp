// The queue between a worker and its comm thread: one producer, one consumer,
// preallocated, with futexes for the times when one has to wait.
#include "device/cpu/comm_lane.h"

#include "telemetry/timeline.h"

#include <algorithm>
#include <csignal>
#include <cstring>

namespace rubato {

CommLane::CommLane(Group &group, const ContextOptions &options)
    : group(group), options(options), spins(spinTurns(group.members())) {}

CommLane::~CommLane() {
  if (!threaded)
    return;
  Status ignored;
  // With the queue full of commands that end within their deadlines, room
  // comes; a lane that cannot make room cannot be joined either.
  while (waitForRoom(ignored) == RB_TIMED_OUT)
    group.abort(options.rank);
  nextSlot().stop = true;
  publish();
  pthread_join(thread, nullptr);
}

void CommLane::abandon() {
  if (!reached(issued()))
    group.abort(options.rank);
}

Status CommLane::start() {
  if (group.members() == 1)
    return Status::ok();
  queue = std::make_unique<Command[]>(capacity);
  // Signals belong to the worker's own thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&thread, nullptr, threadMain, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error)
    return Status::user(std::string("cannot start the comm thread: ") +
                        std::strerror(error));
  pthread_setname_np(thread, "rubato-comm");
  threaded = true;
  return Status::ok();
}

void *CommLane::threadMain(void *lane) {
  static_cast<CommLane *>(lane)->serve();
  return nullptr;
}

rb_status CommLane::push(const Collective &call, Status &error) {
  if (!threaded) {
    uint64_t ticket = issued() + 1;
    issued_.store(ticket, std::memory_order_relaxed);
    run(call, ticket);
    completed_.store(ticket, std::memory_order_relaxed);
    return outcome(ticket, error);
  }
  if (rb_status status = waitForRoom(error))
    return status;
  Command &command = nextSlot();
  command.name = call.name;
  command.count = call.count;
  std::copy_n(call.ins, call.count, command.ins);
  std::copy_n(call.outs, call.count, command.outs);
  publish();
  return RB_OK;
}

void CommLane::publish() {
  issued_.store(issued() + 1);
  if (laneSleeps.load())
    futexWakeAll(lowHalf(issued_), FutexScope::Process);
}

rb_status CommLane::waitForRoom(Status &error) {
  return issued() < capacity ? RB_OK : wait(issued() - capacity + 1, error);
}

rb_status CommLane::wait(uint64_t ticket, Status &error) {
  int turns = spins;
  uint64_t before = UINT64_MAX;
  Deadline limit;
  for (;;) {
    uint64_t done = completed_.load();
    if (done >= ticket)
      return outcome(ticket, error);
    if (turns > 0) {
      --turns;
      spinPause();
      continue;
    }
    // Every collective is under the deadline itself and explains its failure
    // better than we could, so it gets a second more than its time; a lane
    // that makes progress may go on.
    if (done != before)
      limit = std::chrono::steady_clock::now() + options.deadline +
              std::chrono::seconds(1);
    before = done;
    workerSleeps.store(true);
    bool inTime = futexWait(lowHalf(completed_), static_cast<uint32_t>(done),
                            limit, FutexScope::Process);
    workerSleeps.store(false);
    if (inTime || completed_.load() != done)
      continue;
    error = {ErrorCode::Communication,
             "rank " + std::to_string(options.rank) +
                 ": the comm lane has made no progress for " +
                 std::to_string(options.deadline.count()) + " ms"};
    return RB_TIMED_OUT;
  }
}

rb_status CommLane::outcome(uint64_t ticket, Status &error) {
  if (ticket < failedTicket.load())
    return RB_OK;
  error = failure;
  return failedStatus;
}

void CommLane::serve() {
  for (uint64_t done = 0;;) {
    int turns = spins;
    while (issued_.load() == done) {
      if (turns > 0) {
        --turns;
        spinPause();
        continue;
      }
      // Idle: nothing was asked for, so nothing can be late.
      laneSleeps.store(true);
      futexWait(lowHalf(issued_), static_cast<uint32_t>(done), Deadline::max(),
                FutexScope::Process);
      laneSleeps.store(false);
    }
    const Command &command = queue[done % capacity];
    if (command.stop)
      return;
    ++done;
    run({command.name, command.ins, command.outs, command.count}, done);
    completed_.store(done);
    if (workerSleeps.load())
      futexWakeAll(lowHalf(completed_), FutexScope::Process);
  }
}

void CommLane::run(const Collective &call, uint64_t ticket) {
  if (failedStatus != RB_OK)
    return; // after a failure the lane only completes tickets
  Timeline *timeline = options.timeline;
  int64_t begin = timeline ? Timeline::now() : 0;
  // Without a thread nobody can be late either, and the clock is left alone.
  Deadline deadline = threaded
                          ? std::chrono::steady_clock::now() + options.deadline
                          : Deadline::max();
  Status status = group.allReduceSum(options.rank, call.name, call.ins,
                                     call.outs, call.count, deadline);
  if (timeline)
    timeline->add(RB_COMM, "all_reduce", call.name.seq, begin, Timeline::now());
  if (status)
    return;
  failedStatus = group.verdict() == RB_OK ? RB_INVALID : group.verdict();
  failure = std::move(status).annotate(
      "rank " + std::to_string(options.rank) + ": all-reduce " +
      std::to_string(call.name.seq) + " of channel " +
      std::to_string(call.name.channel));
  failedTicket.store(ticket);
}

} // namespace rubato
