// The reference transport: members, futures and waits.
#include "fabric/thread_fabric.h"

#include <algorithm>
#include <cstring>

namespace rubato {

Status makeThreadFabric(int members, std::span<const ChannelSpec> channels,
                        std::unique_ptr<Fabric> &fabric) {
  return ThreadFabric::make(members, channels, fabric);
}

Status ThreadFabric::make(int members, std::span<const ChannelSpec> channels,
                          std::unique_ptr<Fabric> &fabric) {
  RB_TRY(checkSpecs(members, channels));
  fabric = std::make_unique<ThreadFabric>(members, channels);
  return Status::ok();
}

ThreadFabric::ThreadFabric(int members, std::span<const ChannelSpec> specs)
    : FabricBase(members, specs), channels(specs.size()),
      ranks(size_t(members)),
      linkWords(std::make_unique<LinkWords[]>(size_t(members))) {
  links.attach(linkWords.get());
  for (size_t i = 0; i < specs.size(); ++i) {
    channels[i].posted.resize(size_t(members));
    channels[i].early.resize(size_t(members));
    channels[i].earlyAt.resize(size_t(members));
    if (specs[i].kind != ChannelSpec::Kind::Mailbox)
      continue;
    channels[i].server.emplace(workerCount(), specs[i].exempt, specs[i].ahead);
    channels[i].mail.resize(size_t(workerCount()));
  }
}

bool ThreadFabric::sleep(Lock &lock, Deadline deadline, int64_t until) {
  std::optional<Deadline> next = nextLook(deadline, longestSleep);
  if (!next)
    return false;
  if (until > 0)
    next = std::min(*next, Deadline(std::chrono::nanoseconds(until)));
  changed.wait_until(lock, *next);
  return true;
}

Status ThreadFabric::checkAlive(const CallId &call) const {
  if (ended)
    return aborted(call);
  if (ranks[size_t(call.rank)].life == Life::Alive)
    return Status::ok();
  return fail(call, "this member has left or was given up by the others");
}

int64_t ThreadFabric::addFuture(const Future &future) {
  Member &member = ranks[size_t(future.call.rank)];
  member.futures.emplace(++member.lastFuture, future);
  return member.lastFuture;
}

ThreadFabric::Standing ThreadFabric::look(const Future &future) {
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

bool ThreadFabric::done(int rank, int64_t future) {
  Lock lock(mutex);
  auto &futures = ranks[size_t(rank)].futures;
  auto it = futures.find(future);
  return it == futures.end() || look(it->second).over();
}

ThreadFabric::Standing ThreadFabric::waitFor(Lock &lock, const Future &future,
                                             Deadline deadline) {
  Standing standing = look(future);
  while (!standing.over() && sleep(lock, deadline, standing.readyAt))
    standing = look(future);
  if (!standing.over())
    standing.failure = late(future.call, standing.missing);
  return standing;
}

Status ThreadFabric::awaitFirst(int rank, int64_t id, Parts outs, int64_t first,
                                Deadline deadline) {
  Lock lock(mutex);
  auto &futures = ranks[size_t(rank)].futures;
  auto it = futures.find(id);
  if (it == futures.end())
    return unknownFuture(rank, id);
  Future future = it->second;
  bool partly = first >= 0 && future.call.kind == Kind::AllReduce;
  if (partly)
    future.first = first;
  Standing standing = waitFor(lock, future, deadline);
  if (!standing.failure || !partly)
    futures.erase(id);
  RB_TRY(std::move(standing.failure));

  if (future.call.kind == Kind::Pull)
    return takePull(future.call, standing, outs);
  if (Shape shape = shapeOf(outs); !(shape == standing.kept->shape)) {
    futures.erase(id);
    return wrongOuts(future.call, shape, standing.kept->shape);
  }
  bring(future.call, *standing.kept, outs);
  if (partly)
    futures.at(id).whole = bytesOf(outs[0]);
  else
    taken(future);
  return Status::ok();
}

Status ThreadFabric::arrive(int rank, int64_t id, int64_t bytes,
                            Deadline deadline, Lane *) {
  Lock lock(mutex);
  auto &futures = ranks[size_t(rank)].futures;
  auto it = futures.find(id);
  if (it == futures.end())
    return unknownFuture(rank, id);
  Future future = it->second;
  future.first = bytes;
  Standing standing = waitFor(lock, future, deadline);
  if (!standing.failure) {
    futures.erase(id);
    return std::move(standing.failure);
  }
  if (bytes >= future.whole) {
    taken(future);
    futures.erase(id);
  }
  return Status::ok();
}

CopyCounters ThreadFabric::copied(int rank) {
  Lock lock(mutex);
  CopyCounters result = ranks[size_t(rank)].copied;
  result.cells = ranks[size_t(rank)].source.cells.load();
  return result;
}

void ThreadFabric::countCopy(const CallId &call, int64_t values,
                             int64_t numbers) {
  if (specs[size_t(call.channel)].unlimited)
    return; // of the runtime's own
  CopyCounters &copied = ranks[size_t(call.rank)].copied;
  copied.values += values;
  copied.numbers += numbers;
}

Spread ThreadFabric::Kept::at() {
  Spread at;
  for (size_t i = 0; i < size_t(layout.count); ++i)
    at.large[i] = large[i]->data;
  at.rest = rest.data();
  return at;
}

/// Operands as they are where they are blocks, otherwise copies.
std::shared_ptr<ThreadFabric::Kept> ThreadFabric::keep(const CallId &call,
                                                       Parts ins) {
  LargeParts large(ins);
  auto kept = std::make_shared<Kept>();
  kept->shape = shapeOf(ins);
  kept->layout = large.layout;
  kept->sent = steadyNow();
  for (size_t i = 0; i < size_t(large.layout.count); ++i) {
    const Part &part = *large.parts[i];
    if (part.block && *part.block) {
      kept->large[i] = *part.block;
      continue;
    }
    kept->large[i] = takeBlock(bytesOf(part));
    std::memcpy(kept->large[i]->data, part.data, size_t(bytesOf(part)));
    countCopy(call, bytesOf(part), 0);
  }
  kept->rest.resize(size_t(large.layout.rest.bytes()));
  packRest(ins, large, kept->rest.data());
  countCopy(call, 0, large.layout.rest.bytes());
  return kept;
}

void ThreadFabric::bring(const CallId &call, Kept &from, Parts outs) {
  LargeParts large(outs);
  for (size_t i = 0; i < size_t(large.layout.count); ++i) {
    const Part &part = *large.parts[i];
    if (part.block) {
      *part.block = from.large[i];
      continue;
    }
    std::memcpy(part.data, from.large[i]->data, size_t(bytesOf(part)));
    countCopy(call, bytesOf(part), 0);
  }
  unpackRest(from.rest.data(), outs, large);
  countCopy(call, 0, large.layout.rest.bytes());
}

void ThreadFabric::cancel(int rank, int64_t id) {
  Lock lock(mutex);
  Member &member = ranks[size_t(rank)];
  auto it = member.futures.find(id);
  if (it == member.futures.end())
    return;
  it->second.cancelled = true;
  reap(member);
}

void ThreadFabric::reap(Member &member) {
  std::erase_if(member.futures, [&](const auto &each) {
    const Future &future = each.second;
    if (!future.cancelled)
      return false;
    if (future.call.kind == Kind::Pull)
      return true;
    Standing standing = look(future);
    if (standing.ready)
      taken(future);
    return standing.over();
  });
}

Status ThreadFabric::barrier(int rank, Deadline deadline) {
  Lock lock(mutex);
  CallId call{Kind::Barrier, rank, -1, ++ranks[size_t(rank)].barriers, -1};
  RB_TRY(checkAlive(call));
  changed.notify_all();
  for (;;) {
    std::vector<int> missing;
    int dead = -1;
    for (int other = 0; other < memberCount; ++other) {
      const Member &member = ranks[size_t(other)];
      if (member.life == Life::Left || member.barriers >= call.number)
        continue;
      missing.push_back(other);
      if (member.life == Life::Lost && dead < 0)
        dead = other;
    }
    if (missing.empty())
      return Status::ok();
    if (dead >= 0)
      return gone(call, dead);
    RB_TRY(checkAlive(call));
    if (!sleep(lock, deadline))
      return late(call, missing);
  }
}

void ThreadFabric::endMember(int rank, Life life) noexcept {
  Lock lock(mutex);
  if (rank < 0 || rank >= memberCount)
    return;
  Member &member = ranks[size_t(rank)];
  if (member.life == Life::Alive)
    member.life = life;
  for (Channel &channel : channels)
    channel.snapshots.remove_if(
        [&](const Snapshot &each) { return each.to == rank; });
  changed.notify_all();
}

void ThreadFabric::leave(int rank) noexcept { endMember(rank, Life::Left); }

void ThreadFabric::lost(int rank) noexcept { endMember(rank, Life::Lost); }

void ThreadFabric::abort() noexcept {
  Lock lock(mutex);
  ended = true;
  changed.notify_all();
}

} // namespace rubato
