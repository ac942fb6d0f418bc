// The shared-memory transport: exchanges of two members.
//
// What is sent is lent as it lies, or a snapshot of it is in a buffer of its
// sender; a letter tells the receiver where, and is the sender's again once the
// receiver has read it. A sender may be one exchange ahead of a receiver, so
// there are two letters for each direction.
#include "fabric/shared_fabric.h"

#include <algorithm>

namespace rubato {

using namespace shared;

/// How long a start may wait for slow readers of older snapshots.
static constexpr std::chrono::seconds patience{60};

Status SharedFabric::startExchange(int rank, int channel, int peer, int64_t tag,
                                   Parts ins, int64_t &future) {
  CallId call{Kind::Exchange, rank, channel, tag, peer};
  Shape shape = shapeOf(ins);
  RB_TRY(checkCall(call, shape.bytes()));
  RB_TRY(checkPeer(call));
  RB_TRY(checkAlive(call));
  reap(rank, channel);
  if (inFlight(rank, channel) > 0)
    return tooMany(call);
  int64_t now = steadyNow();
  if (life(peer) == Life::Lost) {
    future = addFuture({0, call, shape, now, true, false});
    return Status::ok();
  }
  int buffer = -1, which = -1;
  RB_TRY(findRoom(call, buffer, which));
  future = addFuture({0, call, shape, now, false, false});
  if (which < 0)
    return Status::ok(); // it will read nothing any more
  LargeParts large(ins);
  Spread at = lend(call, large, {&peer, 1});
  LetterWords &letter = letters(channel, rank, peer)[which];
  letter.at = spread(call, ins, large, at, snapshot(channel, rank, buffer));
  letter.buffer = buffer;
  letter.tag = tag;
  letter.sent = now;
  letter.arrives = 0;
  letter.shape = shape;
  // The buffer that went out with this letter before is free since long.
  std::vector<int64_t> &letterOf = state(rank, channel).letterOf;
  std::ranges::replace(letterOf, int64_t(peer * 2 + which), int64_t(-1));
  letterOf[size_t(buffer)] = peer * 2 + which;
  letter.full.store(1);
  ring(member(peer).bell);
  return Status::ok();
}

/// A letter and a buffer that nobody needs any more; no letter if the peer has
/// left. Many unread ones mean that receivers are slow to await what they have
/// started; then this waits.
Status SharedFabric::findRoom(const CallId &call, int &buffer, int &which) {
  Deadline deadline = std::chrono::steady_clock::now() + patience;
  Bell &bell = member(call.rank).bell;
  const LetterWords *pair = letters(call.channel, call.rank, call.peer);
  for (;;) {
    uint32_t seen = bell.rings.load();
    if (life(call.peer) != Life::Alive)
      return Status::ok();
    int slow = call.peer;
    int letter = 0;
    while (letter < 2 && pair[letter].full.load(std::memory_order_acquire))
      ++letter;
    buffer = letter < 2 ? freeBuffer(call, slow) : -1;
    if (buffer >= 0) {
      which = letter;
      return Status::ok();
    }
    RB_TRY(checkAlive(call));
    if (!sleep(bell, seen, deadline))
      return late(call, {slow});
  }
}

/// A buffer whose snapshot was read, or will not be; -1: there is none, and
/// `slow` has not read the last of them.
int SharedFabric::freeBuffer(const CallId &call, int &slow) {
  std::vector<int64_t> &letterOf = state(call.rank, call.channel).letterOf;
  for (size_t i = 0; i < letterOf.size(); ++i) {
    int64_t index = letterOf[i];
    if (index < 0)
      return int(i);
    int reader = int(index / 2);
    LetterWords &letter = letters(call.channel, call.rank, reader)[index % 2];
    bool full = letter.full.load(std::memory_order_acquire) != 0;
    if (full && life(reader) == Life::Alive) {
      slow = reader;
      continue;
    }
    if (full)
      letter.full.store(0, std::memory_order_release);
    letterOf[i] = -1;
    return int(i);
  }
  return -1;
}

/// The peer's letter that answers this exchange, the older one if a tag is
/// used again; null: it has not come.
LetterWords *SharedFabric::letterFor(const CallId &call) {
  LetterWords *pair = letters(call.channel, call.peer, call.rank);
  auto oldest = [&] {
    LetterWords *found = nullptr;
    for (int i = 0; i < 2; ++i)
      if (pair[i].full.load() && pair[i].tag == call.number &&
          (!found || pair[i].sent < found->sent))
        found = &pair[i];
    return found;
  };
  // Both may come while the first look is between them. An older one is there
  // before a newer one, so the second look sees it.
  return oldest() ? oldest() : nullptr;
}

void SharedFabric::lookAtExchange(const Future &future, Standing &standing) {
  const CallId &call = future.call;
  Life its = life(call.peer); // first: what it had sent before counts
  LetterWords *letter = future.tooLate ? nullptr : letterFor(call);
  if (!letter) {
    if (its != Life::Alive)
      standing.failure = peerGone(call, its == Life::Lost);
    return;
  }
  if (!(letter->shape == future.shape)) {
    standing.failure = otherTypes(call);
    return;
  }
  if (!letter->arrives)
    letter->arrives =
        links.send(call.peer, call.rank, std::max(future.started, letter->sent),
                   future.shape.bytes());
  standing.ready = true;
  standing.readyAt = letter->arrives;
  standing.at = letter->at;
  standing.shape = future.shape;
}

} // namespace rubato
