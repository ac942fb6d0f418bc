// The shared-memory transport: posting collectives and how they stand.
//
// A collective is decided by facts that never change back: who has posted it,
// and who is lost. If all have posted, everybody gets the sum, whoever dies
// meanwhile; if a lost member has not, nobody does.
#include "fabric/shared_fabric.h"

#include <algorithm>
#include <utility>

namespace rubato {

using namespace shared;

/// Below this the last to post adds up at once: quicker than waking anybody.
static constexpr int64_t smallSum = 128 << 10;

Status SharedFabric::startAllReduce(int rank, int channel, Parts ins,
                                    int64_t &future) {
  return startCollective({Kind::AllReduce, rank, channel, 0, -1}, ins, future);
}

Status SharedFabric::startBroadcast(int rank, int channel, int root, Parts ins,
                                    int64_t &future) {
  CallId call{Kind::Broadcast, rank, channel, 0, root};
  RB_TRY(checkCall(call, 0));
  RB_TRY(checkRoot(call));
  return startCollective(call, ins, future);
}

Status SharedFabric::ready(int rank, int channel, const Part &operand,
                           int64_t bytes) {
  CallId call{Kind::AllReduce, rank, channel, 0, -1};
  int64_t size = bytesOf(operand);
  RB_TRY(checkCall(call, size));
  ChannelState &mine = state(rank, channel);
  call.number = mine.posted + 1;
  RB_TRY(checkAlive(call));
  PostWords &words = post(channel, call.number, rank);
  if (mine.early != call.number) {
    reap(rank, channel);
    mine.early = call.number;
    mine.marks.clear();
    // Others can read it, the slot is this number's already, and its result
    // will not have to lie elsewhere: else all of it waits for the start.
    const SharedBlock *block = mappedBlock(operand);
    mine.isOpen = block && memberCount > 1 && size >= Layout::leastLarge &&
                  size * memberCount > smallSum &&
                  !pool->isAnothers(rank, (*block)->data) &&
                  oldestOpen(rank, channel) + slotsOf(channel) > call.number &&
                  slotState(call).shown->load() == 0;
    if (mine.isOpen) {
      if (spareCores)
        RB_TRY(startComm(rank));
      words.early.bytes.store(0);
      words.early.dtype.store(operand.dtype);
      words.early.size.store(size);
      words.early.at.store((*block)->data);
      words.early.number.store(call.number);
    }
  }
  mine.marks.push_back({bytes, steadyNow()});
  if (!mine.isOpen)
    return Status::ok();
  words.early.bytes.store(bytes);
  if (readyEverywhere(channel, call.number) < bytes)
    return Status::ok();
  // Those who wait add it up; without them comm threads, where they do not take
  // a core from somebody who computes.
  for (int other = 0; other < memberCount; ++other)
    if (post(channel, call.number, other).awaiting.load() == call.number)
      ring(member(other).bell);
    else if (spareCores)
      ring(member(other).commBell);
  return Status::ok();
}

Status SharedFabric::startCollective(CallId call, Parts ins, int64_t &future) {
  Shape shape = shapeOf(ins);
  RB_TRY(checkCall(call, shape.bytes()));
  ChannelState &mine = state(call.rank, call.channel);
  call.number = mine.posted + 1;
  RB_TRY(checkAlive(call));
  reap(call.rank, call.channel);
  if (!mine.broken)
    return mine.broken;
  // Who awaited the last one in a slot does not need the slot any more, and
  // nobody writes to the others' results before they have posted this one.
  if (oldestOpen(call.rank, call.channel) + slotsOf(call.channel) <=
      call.number)
    return tooMany(call);
  int64_t work = shape.bytes() * memberCount;
  if (memberCount > 1 && work > smallSum)
    RB_TRY(startComm(call.rank));
  mine.posted = call.number;

  PostWords &words = post(call.channel, call.number, call.rank);
  words.kind.store(int64_t(call.kind), std::memory_order_release);
  words.root.store(call.peer, std::memory_order_release);
  words.shape.set(shape);
  LargeParts large(ins);
  words.layout.set(large.layout);
  if (call.kind == Kind::AllReduce || call.peer == call.rank)
    keep(call, ins, large);
  if (mine.early == call.number && mine.isOpen &&
      (call.kind != Kind::AllReduce || large.layout.count == 0 ||
       words.at.get().large[0] != words.early.at.load() ||
       large.layout.large[0].bytes != words.early.size.load() ||
       large.layout.large[0].dtype != words.early.dtype.load()))
    return otherOperand(call);
  words.holds.store(slotState(call).shown->load() > 0,
                    std::memory_order_release);
  int64_t now = steadyNow();
  words.sent.store(now, std::memory_order_release);
  if (std::exchange(mine.early, 0) != call.number)
    mine.marks.clear();
  if (large.layout.count > 0) {
    mine.marks.resize(
        std::min<size_t>(mine.marks.size(), words.marks.most - 1));
    mine.marks.push_back({large.layout.large[0].bytes, now});
  } else {
    mine.marks.clear(); // it goes with the numbers
  }
  words.marks.set(mine.marks);
  words.posted.store(call.number);
  future = addFuture({0, call, shape, now, false, false});
  if (allPosted(call.channel, call.number))
    announce(call, work);
  return Status::ok();
}

/// Keeps the operands until the sum is finished: those that are blocks as they
/// are, the others as copies. What a root has is lent to all others.
void SharedFabric::keep(const CallId &call, Parts ins,
                        const LargeParts &large) {
  SlotState &mine = slotState(call);
  std::vector<int> others;
  for (int rank = 0; call.kind == Kind::Broadcast && rank < memberCount; ++rank)
    if (rank != call.rank)
      others.push_back(rank);
  Spread at;
  for (size_t i = 0; i < size_t(large.layout.count); ++i) {
    const SharedBlock *block = mappedBlock(*large.parts[i]);
    // What was lent to this member is its owner's again if this member dies,
    // and then it must still be possible to sum the operand.
    if (block && memberCount > 1 && pool->isAnothers(call.rank, (*block)->data))
      block = nullptr;
    if (block && call.kind == Kind::Broadcast &&
        !pool->lend(call.rank, *block, others))
      block = nullptr;
    mine.kept[i] = block ? *block : nullptr;
    at.large[i] = block ? (*block)->data : nullptr;
  }
  post(call.channel, call.number, call.rank)
      .at.set(spread(call, ins, large, at,
                     input(call.channel, call.number, call.rank)));
}

/// A collective is finished and was awaited.
void SharedFabric::endCollective(const CallId &call) {
  slotState(call).kept = {};
}

/// Tells those who wait that all have posted, and has the sum done.
void SharedFabric::announce(const CallId &call, int64_t work) {
  if (work <= smallSum || memberCount == 1)
    sum(call.rank, call.channel, call.number);
  for (int rank = 0; rank < memberCount; ++rank) {
    ring(member(rank).bell);
    // One who waits helps on its own.
    if (work > smallSum &&
        post(call.channel, call.number, rank).awaiting.load() != call.number)
      ring(member(rank).commBell);
  }
}

bool SharedFabric::allPosted(int channel, int64_t number) {
  for (int rank = 0; rank < memberCount; ++rank)
    if (post(channel, number, rank).posted.load() < number)
      return false;
  return true;
}

static bool same(const PostWords &a, const PostWords &b) {
  return a.kind.load(std::memory_order_acquire) ==
             b.kind.load(std::memory_order_acquire) &&
         a.root.load(std::memory_order_acquire) ==
             b.root.load(std::memory_order_acquire) &&
         a.shape.get() == b.shape.get();
}

bool SharedFabric::agree(int channel, int64_t number) {
  for (int rank = 1; rank < memberCount; ++rank)
    if (!same(post(channel, number, rank), post(channel, number, 0)))
      return false;
  return true;
}

void SharedFabric::lookAtCollective(const Future &future, Standing &standing) {
  const CallId &call = future.call;
  SlotWords &words = slot(call.channel, call.number);
  int dead = -1, finished = -1, missing = 0;
  // What is wanted of it is there only if all have posted it.
  bool isFinished = isThere(call, future.first);
  for (int rank = 0; !isFinished && rank < memberCount; ++rank) {
    // Life first: what a lost member had posted before counts.
    Life its = life(rank);
    if (post(call.channel, call.number, rank).posted.load() >= call.number)
      continue;
    ++missing;
    if (its == Life::Lost && dead < 0)
      dead = rank;
    if (its == Life::Left && finished < 0)
      finished = rank;
  }
  if (!isFinished && missing == 0) {
    standing.summing = agree(call.channel, call.number);
    // Who is done already may have written the next call over this one.
    isFinished = isThere(call, future.first);
    if (!standing.summing && !isFinished)
      standing.failure = explainDisagreement(future);
  }
  if (isFinished) {
    (void)locals[size_t(call.rank)]->helped.load();
    standing.summing = false;
    standing.ready = isCarried(call, future.first, standing.readyAt);
    standing.at = words.at.get();
    standing.shape = future.shape;
  } else if (dead >= 0) {
    standing.failure = gone(call, dead);
  } else if (finished >= 0) {
    standing.failure = left(call, finished);
  }
}

/// Gives the finished collective to the member's own link, behind those before
/// it on the channel; false while one of them is not summed. Every member does
/// so for itself, so that nobody depends on another that may die.
bool SharedFabric::isCarried(const CallId &call, int64_t bytes,
                             int64_t &arrives) {
  ChannelState &mine = state(call.rank, call.channel);
  if (!links.queue() || specs[size_t(call.channel)].unlimited) {
    arrives = arrival(call, slot(call.channel, call.number).sent.load(), 0);
    return true;
  }
  while (mine.carried < call.number) {
    CallId next = call;
    next.number = mine.carried + 1;
    SlotWords &words = slot(next.channel, next.number);
    if (words.known.load() < next.number) {
      sum(next.rank, next.channel, next.number);
      // Members that disagree will hear of it; it is not sent.
      bool hopeless = !agree(next.channel, next.number);
      if (words.known.load() < next.number) {
        if (!hopeless)
          return false;
        mine.carried = next.number;
        continue;
      }
    }
    int64_t all =
        post(next.channel, next.number, next.rank).shape.get().bytes();
    Marks started = words.marks.get();
    if (started.empty())
      started.push_back({all, words.sent.load()});
    slotState(next).arrives = arrivals(next, started, all);
    mine.carried = next.number;
  }
  arrives = timeOf(slotState(call).arrives, bytes);
  return true;
}

Status SharedFabric::explainDisagreement(const Future &future) {
  const CallId &call = future.call;
  const PostWords &mine = post(call.channel, call.number, call.rank);
  int peer = 0;
  while (peer + 1 < memberCount &&
         same(mine, post(call.channel, call.number, peer)))
    ++peer;
  const PostWords &words = post(call.channel, call.number, peer);
  CallId theirs{Kind(words.kind.load()), peer, call.channel, call.number,
                int(words.root.load())};
  return disagree(call, future.shape, theirs, words.shape.get());
}

} // namespace rubato
