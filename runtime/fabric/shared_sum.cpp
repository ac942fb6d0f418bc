// The shared-memory transport: summing, in chunks, by whoever has time.
//
// Members that wait sum; for those that compute their comm threads do. A chunk
// is claimed before it is summed. What a member had claimed when it died is
// claimed again by a survivor: inputs are kept until the sum is finished.
#include "fabric/barrier.h"
#include "fabric/shared_fabric.h"

#include <algorithm>
#include <csignal>
#include <cstring>

namespace rubato {

using namespace shared;

namespace {

/// What is in a chunk's word.
struct Claim {
  int64_t number = 0;
  int owner = 0;
  bool done = false;

  static Claim of(uint64_t word) {
    return {int64_t(word >> 16), int(word >> 1 & 0x7fff), (word & 1) != 0};
  }
  uint64_t word() const {
    return uint64_t(number) << 16 | uint64_t(owner) << 1 | uint64_t(done);
  }
};
static_assert(Barrier::maxMembers <= 0x7fff);

int chunksOf(int64_t bytes) {
  constexpr int64_t least = 64 << 10;
  return int(std::clamp<int64_t>(bytes / least, 1, SlotWords::maxChunks));
}

} // namespace

void SharedFabric::sum(int rank, int channel, int64_t number) {
  SlotWords &words = slot(channel, number);
  const PostWords &mine = post(channel, number, rank);
  Layout layout = mine.layout.get();
  bool isSum = mine.kind.load() == int64_t(Kind::AllReduce);
  int root = int(mine.root.load());
  if (!allPosted(channel, number) || !agree(channel, number))
    return;
  std::vector<Spread> ins;
  bool spilled = false;
  for (int other = 0; other < memberCount; ++other) {
    const PostWords &its = post(channel, number, other);
    if (isSum || other == root)
      ins.push_back(its.at.get());
    spilled |= its.holds.load(std::memory_order_acquire) != 0;
  }
  // Read first, checked then: while it is not finished, nobody has written a
  // later call over what was read.
  if (words.finished.load() >= number)
    return;
  Spread out(layout, result(channel, number, spilled)), brought = out;
  for (size_t i = 0; i < size_t(layout.count); ++i)
    if (memberCount == 1 || (!isSum && pool->contains(ins[0].large[i]))) {
      brought.large[i] = ins[0].large[i]; // as it is
      out.large[i] = nullptr;
    }
  int64_t bytes = layout.extent();
  int chunks = chunksOf(bytes);
  int64_t lines = (bytes + 63) / 64;
  auto border = [&](int64_t chunk) {
    return std::min(lines * chunk / chunks * 64, bytes);
  };

  for (int i = 0; i < chunks; ++i) {
    // Members begin at different places, so that they seldom compete.
    int chunk = (i + rank * chunks / memberCount) % chunks;
    uint64_t seen = words.chunks[chunk].load();
    Claim claim = Claim::of(seen);
    if (claim.number > number)
      return; // finished long ago
    if (claim.number == number &&
        (claim.done || life(claim.owner) != Life::Lost))
      continue;
    claim = {number, rank, false};
    if (!words.chunks[chunk].compare_exchange_strong(seen, claim.word()))
      continue;
    sumSpread(layout, ins, out, border(chunk), border(chunk + 1));
    if (chunk == 0) {
      int64_t sent = 0;
      for (int other = 0; other < memberCount; ++other)
        sent = std::max(sent, post(channel, number, other).sent.load());
      words.sent.store(sent);
      words.at.set(brought);
    }
    locals[size_t(rank)]->helped.fetch_add(1);
    claim.done = true;
    words.chunks[chunk].store(claim.word());
  }

  for (int chunk = 0; chunk < chunks; ++chunk) {
    Claim claim = Claim::of(words.chunks[chunk].load());
    if (claim.number < number || (claim.number == number && !claim.done))
      return; // who does that one finishes
  }
  int64_t before = words.finished.load();
  while (before < number &&
         !words.finished.compare_exchange_weak(before, number))
    ;
  ringAll(false);
}

void SharedFabric::helpAll(int rank) {
  for (int channel = 0; channel < int(specs.size()); ++channel) {
    if (specs[size_t(channel)].kind != ChannelSpec::Kind::Collective)
      continue;
    for (int64_t each = 0; each < slotsOf(channel); ++each)
      if (int64_t number = post(channel, each, rank).posted.load();
          number > slot(channel, each).finished.load())
        sum(rank, channel, number);
  }
}

void SharedFabric::serveComm(int rank) {
  Local &local = *locals[size_t(rank)];
  Bell &bell = member(rank).commBell;
  while (!local.commStops.load()) {
    uint32_t seen = bell.rings.load();
    helpAll(rank);
    if (!local.commStops.load())
      sleep(bell, seen, Deadline::max());
  }
}

Status SharedFabric::startComm(int rank) {
  Local &local = *locals[size_t(rank)];
  std::lock_guard lock(local.commMutex);
  if (local.commRuns)
    return Status::ok();
  struct Start {
    SharedFabric *fabric;
    int rank;
  };
  auto threadMain = [](void *argument) -> void * {
    std::unique_ptr<Start> start(static_cast<Start *>(argument));
    start->fabric->serveComm(start->rank);
    return nullptr;
  };
  // Signals belong to the member's own thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  auto start = std::make_unique<Start>(Start{this, rank});
  int error = pthread_create(&local.comm, nullptr, threadMain, start.get());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error)
    return Status::user(std::string("cannot start the comm thread: ") +
                        std::strerror(error));
  start.release();
  pthread_setname_np(local.comm, "rubato-comm");
  local.commRuns = true;
  return Status::ok();
}

void SharedFabric::stopComm(int rank) noexcept {
  Local &local = *locals[size_t(rank)];
  std::lock_guard lock(local.commMutex);
  if (!local.commRuns)
    return;
  local.commStops.store(true);
  ring(member(rank).commBell);
  pthread_join(local.comm, nullptr);
  local.commStops.store(false);
  local.commRuns = false;
}

} // namespace rubato
