// The shared-memory transport: members, waits and futures.
#include "fabric/shared_fabric.h"

#include <algorithm>

namespace rubato {

using namespace shared;

void SharedFabric::ring(Bell &bell) {
  bell.rings.fetch_add(1);
  if (bell.sleepers.load() > 0)
    futexWakeAll(&bell.rings, FutexScope::Shared);
}

void SharedFabric::ringAll(bool comm) {
  for (int rank = 0; rank < memberCount; ++rank) {
    ring(member(rank).bell);
    if (comm)
      ring(member(rank).commBell);
  }
}

bool SharedFabric::sleep(Bell &bell, uint32_t seen, Deadline deadline,
                         int64_t until) {
  std::optional<Deadline> next = nextLook(deadline, longestSleep);
  if (!next)
    return false;
  if (until > 0)
    next = std::min(*next, Deadline(std::chrono::nanoseconds(until)));
  bell.sleepers.fetch_add(1);
  futexWait(&bell.rings, seen, *next, FutexScope::Shared);
  bell.sleepers.fetch_sub(1);
  return true;
}

Status SharedFabric::checkAlive(const CallId &call) {
  if (run().ended.load())
    return aborted(call);
  if (life(call.rank) == Life::Alive)
    return Status::ok();
  return fail(call, "this member has left or was given up by the others");
}

int64_t SharedFabric::addFuture(Future future) {
  Local &local = *locals[size_t(future.call.rank)];
  std::lock_guard lock(local.mutex);
  future.id = ++local.lastFuture;
  local.futures.push_back(future);
  return future.id;
}

int SharedFabric::inFlight(int rank, int channel) {
  Local &local = *locals[size_t(rank)];
  std::lock_guard lock(local.mutex);
  // A cancelled collective still needs its slot; an exchange has more room.
  return int(std::ranges::count_if(local.futures, [&](const Future &each) {
    return each.call.channel == channel &&
           !(each.cancelled && each.call.kind == Kind::Exchange);
  }));
}

int64_t SharedFabric::oldestOpen(int rank, int channel) {
  Local &local = *locals[size_t(rank)];
  std::lock_guard lock(local.mutex);
  int64_t oldest = INT64_MAX / 2;
  for (const Future &each : local.futures)
    if (each.call.channel == channel)
      oldest = std::min(oldest, each.call.number);
  return oldest;
}

bool SharedFabric::find(int rank, int64_t id, Future &future) {
  Local &local = *locals[size_t(rank)];
  std::lock_guard lock(local.mutex);
  auto it = std::ranges::find(local.futures, id, &Future::id);
  if (it == local.futures.end())
    return false;
  future = *it;
  return true;
}

void SharedFabric::forget(int rank, int64_t id) {
  Local &local = *locals[size_t(rank)];
  std::lock_guard lock(local.mutex);
  auto it = std::ranges::find(local.futures, id, &Future::id);
  if (it == local.futures.end())
    return;
  local.cancelled -= it->cancelled;
  *it = local.futures.back();
  local.futures.pop_back();
}

SharedFabric::Standing SharedFabric::look(const Future &future) {
  Standing standing;
  if (future.call.kind == Kind::Exchange)
    lookAtExchange(future, standing);
  else if (future.call.kind == Kind::Pull)
    lookAtPull(future, standing);
  else
    lookAtCollective(future, standing);
  if (standing.ready && standing.readyAt > steadyNow())
    standing.ready = false;
  if (!standing.over())
    standing.failure = checkAlive(future.call);
  return standing;
}

bool SharedFabric::done(int rank, int64_t id) {
  Future future;
  return !find(rank, id, future) || look(future).over();
}

SharedFabric::Standing SharedFabric::waitFor(const Future &future,
                                             Deadline deadline) {
  const CallId &call = future.call;
  Bell &bell = member(call.rank).bell;
  Standing standing;
  for (int turn = 0;; ++turn) {
    uint32_t seen = bell.rings.load();
    standing = look(future);
    if (standing.summing) {
      sum(call.rank, call.channel, call.number);
      standing = look(future);
    }
    if (standing.over())
      return standing;
    if (turn < spins && standing.readyAt == 0) {
      spinPause();
      continue;
    }
    // Perhaps parts are ready everywhere, of which others still compute more.
    if (call.kind == Kind::AllReduce)
      sum(call.rank, call.channel, call.number);
    if (!sleep(bell, seen, deadline, standing.readyAt)) {
      standing.failure = isLate(future);
      return standing;
    }
  }
}

/// Whether the vector of a sum will be shown to whoever awaits it so. One who
/// is alone gets its own operand back, which is whole.
bool SharedFabric::isShownTo(Parts outs, const Spread &at, int channel) {
  if (memberCount == 1)
    return true;
  LargeParts large(outs);
  return large.layout.count > 0 && large.parts[0]->block &&
         isShown(at.large[0], channel);
}

Status SharedFabric::awaitFirst(int rank, int64_t id, Parts outs, int64_t first,
                                Deadline deadline) {
  Future future;
  if (!find(rank, id, future))
    return unknownFuture(rank, id);
  const CallId &call = future.call;
  bool partly = first >= 0 && call.kind == Kind::AllReduce;
  // What is summed with the numbers comes as a whole.
  if (LargeParts large(outs);
      partly && large.layout.count > 0 && large.parts[0] == outs.data())
    future.first = first;
  bool collective = isCollective(call);
  // From here on the last to post need not wake this member's comm thread.
  if (collective)
    post(call.channel, call.number, rank).awaiting.store(call.number);
  Standing standing = waitFor(future, deadline);
  // What cannot be shown where it is summed is copied, and then as a whole.
  if (partly && standing.ready && !isShownTo(outs, standing.at, call.channel)) {
    future.first = INT64_MAX;
    standing = waitFor(future, deadline);
  }
  if (collective) {
    post(call.channel, call.number, rank).awaiting.store(0);
    // Posting the next would make others add it to what this one is.
    if (!standing.failure)
      state(rank, call.channel).broken = standing.failure;
  }
  Status status = std::move(standing.failure);
  if (status)
    status = take(future, standing, outs);
  if (!status || !partly)
    forget(rank, id);
  else
    keepWhole(rank, id, bytesOf(outs[0]));
  return status;
}

void SharedFabric::keepWhole(int rank, int64_t id, int64_t bytes) {
  Local &local = *locals[size_t(rank)];
  std::lock_guard lock(local.mutex);
  std::ranges::find(local.futures, id, &Future::id)->whole = bytes;
}

Status SharedFabric::arrive(int rank, int64_t id, int64_t bytes,
                            Deadline deadline, Lane *) {
  Future future;
  if (!find(rank, id, future))
    return unknownFuture(rank, id);
  const CallId &call = future.call;
  bool all = bytes >= future.whole;
  future.first = all ? INT64_MAX : bytes;
  Standing standing = waitFor(future, deadline);
  // Who fails keeps its operands: others may still sum them.
  if (!standing.failure)
    state(rank, call.channel).broken = standing.failure;
  else if (all)
    endCollective(call);
  if (all || !standing.failure)
    forget(rank, id);
  return std::move(standing.failure);
}

Status SharedFabric::take(const Future &future, const Standing &standing,
                          Parts outs) {
  const CallId &call = future.call;
  if (call.kind == Kind::Pull)
    return takePull(future, outs);
  Shape shape = shapeOf(outs);
  bool fits = shape == standing.shape;
  if (fits) {
    LargeParts large(outs);
    for (int i = 0; i < large.layout.count; ++i)
      bring(call, *large.parts[size_t(i)], i, standing.at.large[size_t(i)]);
    unpackRest(standing.at.rest, outs, large);
    countCopy(call, 0, large.layout.rest.bytes());
  } else {
    refuse(call, standing.at);
  }
  if (call.kind == Kind::Exchange) {
    letterFor(call)->full.store(0, std::memory_order_release);
    ring(member(call.peer).bell);
  } else if (future.first == INT64_MAX || !fits) {
    endCollective(call);
  }
  return fits ? Status::ok() : wrongOuts(call, shape, standing.shape);
}

void SharedFabric::cancel(int rank, int64_t id) {
  Future future;
  if (!find(rank, id, future))
    return;
  if (future.call.kind == Kind::Pull)
    return forget(rank, id);
  Local &local = *locals[size_t(rank)];
  {
    std::lock_guard lock(local.mutex);
    auto it = std::ranges::find(local.futures, id, &Future::id);
    local.cancelled += !it->cancelled;
    it->cancelled = true;
  }
  reap(rank, future.call.channel);
}

void SharedFabric::reap(int rank, int channel) {
  Local &local = *locals[size_t(rank)];
  if (local.cancelled.load() == 0)
    return;
  std::vector<Future> cancelled;
  {
    std::lock_guard lock(local.mutex);
    for (const Future &each : local.futures)
      if (each.cancelled && each.call.channel == channel)
        cancelled.push_back(each);
  }
  for (const Future &future : cancelled) {
    Standing standing = look(future);
    if (!standing.over())
      continue;
    bool exchange = future.call.kind == Kind::Exchange;
    if (standing.ready)
      refuse(future.call, standing.at);
    if (!exchange && standing.ready)
      endCollective(future.call);
    if (exchange && standing.ready) {
      letterFor(future.call)->full.store(0, std::memory_order_release);
      ring(member(future.call.peer).bell);
    } else if (!exchange && !standing.ready) {
      state(rank, channel).broken = standing.failure;
    }
    forget(rank, future.id);
  }
}

Status SharedFabric::isLate(const Future &future) {
  const CallId &call = future.call;
  if (call.kind == Kind::Exchange)
    return late(call, {call.peer});
  if (call.kind == Kind::Pull)
    return late(call, {specs[size_t(call.channel)].server});
  std::vector<int> missing;
  for (int rank = 0; rank < memberCount; ++rank)
    if (post(call.channel, call.number, rank).posted.load() < call.number)
      missing.push_back(rank);
  return missing.empty()
             ? fail(call, "the sum was not done before the deadline")
             : late(call, missing);
}

Status SharedFabric::barrier(int rank, Deadline deadline) {
  MemberWords &me = member(rank);
  CallId call{Kind::Barrier, rank, -1, me.barriers.load() + 1, -1};
  RB_TRY(checkAlive(call));
  me.barriers.store(call.number);
  ringAll(false);
  for (int turn = 0;; ++turn) {
    uint32_t seen = me.bell.rings.load();
    int missing = 0, dead = -1;
    for (int other = 0; other < memberCount; ++other) {
      // A life first: who has left may have arrived just before.
      Life its = life(other);
      if (its == Life::Left || member(other).barriers.load() >= call.number)
        continue;
      ++missing;
      if (its == Life::Lost && dead < 0)
        dead = other;
    }
    if (missing == 0)
      return Status::ok();
    if (dead >= 0)
      return gone(call, dead);
    RB_TRY(checkAlive(call));
    if (turn < spins)
      spinPause();
    else if (!sleep(me.bell, seen, deadline))
      break;
  }
  std::vector<int> missing;
  for (int other = 0; other < memberCount; ++other)
    if (member(other).barriers.load() < call.number)
      missing.push_back(other);
  return late(call, missing);
}

void SharedFabric::endMember(int rank, Life life) noexcept {
  Life alive = Life::Alive;
  member(rank).life.compare_exchange_strong(alive, life);
  ringAll(true);
}

void SharedFabric::leave(int rank) noexcept {
  if (rank < 0 || rank >= memberCount)
    return;
  stopComm(rank);
  endMember(rank, Life::Left);
}

void SharedFabric::lost(int rank) noexcept {
  if (rank >= 0 && rank < memberCount)
    endMember(rank, Life::Lost);
}

void SharedFabric::abort() noexcept {
  run().ended.store(1);
  ringAll(true);
}

} // namespace rubato
