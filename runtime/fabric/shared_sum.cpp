// The shared-memory transport: summing, in chunks, by whoever has time.
//
// Members that wait sum; for those that compute their comm threads do. A chunk
// is claimed before it is summed. What a member had claimed when it died is
// claimed again by a survivor: inputs are kept until the sum is finished.
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
static_assert(maxMembers <= 0x7fff);

int chunksOf(int64_t bytes, int most) {
  constexpr int64_t least = 64 << 10;
  return int(std::clamp<int64_t>(bytes / least, 1, most));
}

/// Where bytes are cut into chunks, on cache lines.
int64_t borderOf(int64_t bytes, int chunks, int chunk) {
  return std::min((bytes + 63) / 64 * chunk / chunks * 64, bytes);
}

} // namespace

/// The first large part of a collective as far as it is known: before all have
/// posted, from what members said early.
struct SharedFabric::Operands {
  Layout layout; // of it alone, or of all once all have posted
  bool posted = false;
  int64_t ready = 0;          // bytes of the vector that are final everywhere
  std::span<const Spread> at; // of each member; empty: nothing to do

  int64_t vector() const { return layout.count ? layout.large[0].bytes : 0; }
  int vectorChunks() const {
    return layout.count ? chunksOf(vector(), SlotWords::vectorChunks) : 0;
  }
  /// Everything else, the numbers at least.
  int64_t restBegin() const {
    return layout.beginOf(std::min(layout.count, 1));
  }
  int restChunks() const {
    return chunksOf(layout.extent() - restBegin(), SlotWords::restChunks);
  }
};

SharedFabric::Operands SharedFabric::operandsOf(int channel, int64_t number) {
  // Reused: a sum allocates nothing.
  static thread_local std::vector<Spread> places;
  places.clear();
  Operands operands;
  operands.posted = allPosted(channel, number);
  if (operands.posted) {
    if (!agree(channel, number))
      return operands;
    operands.layout = post(channel, number, 0).layout.get();
    operands.ready = operands.vector();
    for (int rank = 0; rank < memberCount; ++rank)
      places.push_back(post(channel, number, rank).at.get());
    operands.at = places;
    return operands;
  }
  // Nobody's word is taken unless all have the same: a disagreement is told
  // once all have posted.
  operands.layout.count = 1;
  int64_t least = INT64_MAX;
  for (int rank = 0; rank < memberCount; ++rank) {
    const PostWords &words = post(channel, number, rank);
    Layout::Large large;
    Spread at;
    int64_t bytes = 0;
    if (words.posted.load() >= number) {
      Layout layout = words.layout.get();
      // Whoever still reads an older result sends this one elsewhere.
      if (layout.count == 0 || words.holds.load(std::memory_order_acquire) ||
          words.kind.load() != int64_t(Kind::AllReduce))
        return {};
      large = layout.large[0];
      at = words.at.get();
      bytes = large.bytes;
    } else if (words.early.number.load() == number) {
      large = {rb_dtype(words.early.dtype.load()), words.early.size.load()};
      at.large[0] = words.early.at.load();
      bytes = words.early.bytes.load();
    }
    if (bytes == 0 || (rank > 0 && !(large == operands.layout.large[0])))
      return {};
    operands.layout.large[0] = large;
    places.push_back(at);
    least = std::min(least, bytes);
  }
  operands.ready = least;
  operands.at = places;
  return operands;
}

int64_t SharedFabric::readyEverywhere(int channel, int64_t number) {
  return operandsOf(channel, number).ready;
}

/// Claims a chunk, unless it is done or another's, and has it summed; false if
/// a later collective is in its place. What the dead had claimed is taken over
/// once all have posted: before, a death leaves nothing to sum.
template <typename Sum>
bool SharedFabric::sumChunk(int rank, int channel, int64_t number, int chunk,
                            bool posted, Sum sum) {
  SlotWords &words = slot(channel, number);
  uint64_t seen = words.chunks[chunk].load();
  Claim claim = Claim::of(seen);
  if (claim.number > number)
    return false; // finished long ago
  bool orphaned = posted && life(claim.owner) == Life::Lost;
  if (claim.number == number && (claim.done || !orphaned))
    return true;
  claim = {number, rank, false};
  if (!words.chunks[chunk].compare_exchange_strong(seen, claim.word()))
    return true;
  sum();
  locals[size_t(rank)]->helped.fetch_add(1);
  claim.done = true;
  words.chunks[chunk].store(claim.word());
  return true;
}

bool SharedFabric::isSummed(int channel, int64_t number, int from, int to) {
  SlotWords &words = slot(channel, number);
  for (int chunk = from; chunk < to; ++chunk) {
    Claim claim = Claim::of(words.chunks[chunk].load());
    if (claim.number < number || (claim.number == number && !claim.done))
      return false;
  }
  return true;
}

/// Whether the first bytes of the vector are summed, and all the rest. The
/// member's own post is read: it stays until the member has awaited it.
bool SharedFabric::isThere(const CallId &call, int64_t bytes) {
  SlotWords &words = slot(call.channel, call.number);
  if (words.finished.load() >= call.number)
    return true;
  if (bytes == INT64_MAX || words.known.load() < call.number)
    return false;
  Operands mine;
  mine.layout = post(call.channel, call.number, call.rank).layout.get();
  int chunks = mine.vectorChunks(), needed = 0;
  while (needed < chunks && borderOf(mine.vector(), chunks, needed) < bytes)
    ++needed;
  return isSummed(call.channel, call.number, 0, needed) &&
         isSummed(call.channel, call.number, SlotWords::vectorChunks,
                  SlotWords::vectorChunks + mine.restChunks());
}

/// Says of a collective that all have posted where it will lie, and when what
/// of it was there.
void SharedFabric::makeKnown(int channel, int64_t number, const Spread &at) {
  SlotWords &words = slot(channel, number);
  int64_t sent = 0;
  for (int rank = 0; rank < memberCount; ++rank)
    sent = std::max(sent, post(channel, number, rank).sent.load());
  words.sent.store(sent);
  if (links.queue()) {
    // Without links that carry one thing after the other nobody asks.
    std::vector<Marks> marks;
    for (int rank = 0; rank < memberCount; ++rank)
      marks.push_back(post(channel, number, rank).marks.get());
    words.marks.set(together(marks, size_t(words.marks.most)));
  }
  words.at.set(at);
  words.known.store(number);
}

void SharedFabric::sum(int rank, int channel, int64_t number) {
  SlotWords &words = slot(channel, number);
  Operands operands = operandsOf(channel, number);
  if (operands.at.empty())
    return;
  const Layout &layout = operands.layout;
  const PostWords &mine = post(channel, number, rank);
  bool isSum = !operands.posted || mine.kind.load() == int64_t(Kind::AllReduce);
  auto root =
      size_t(operands.posted ? std::max<int64_t>(mine.root.load(), 0) : 0);
  bool spilled = false;
  for (int other = 0; operands.posted && other < memberCount; ++other)
    spilled |=
        post(channel, number, other).holds.load(std::memory_order_acquire) != 0;
  // Read first, checked then: while it is not finished, nobody has written a
  // later call over what was read.
  if (words.finished.load() >= number)
    return;
  std::span<const Spread> ins =
      isSum ? operands.at : operands.at.subspan(root, 1);
  Spread out(layout, result(channel, number, spilled)), brought = out;
  for (size_t i = 0; i < size_t(layout.count); ++i)
    if (memberCount == 1 || (!isSum && pool->contains(ins[0].large[i]))) {
      brought.large[i] = ins[0].large[i]; // as it is
      out.large[i] = nullptr;
    }

  int chunks = operands.vectorChunks();
  for (int i = 0; i < chunks; ++i) {
    // Members begin at different places, so that they seldom compete; what is
    // early is wanted from its beginning on.
    int chunk =
        operands.posted ? (i + rank * chunks / memberCount) % chunks : i;
    int64_t begin = borderOf(operands.vector(), chunks, chunk);
    int64_t end = borderOf(operands.vector(), chunks, chunk + 1);
    if (end > operands.ready)
      continue;
    if (!sumChunk(rank, channel, number, chunk, operands.posted, [&] {
          sumSpread(layout, ins, out, begin, end);
          if (!isSum || specs[size_t(channel)].unlimited || !out.large[0])
            return;
          auto &counts = member(rank);
          counts.summed.fetch_add(end - begin, std::memory_order_relaxed);
          if (!operands.posted)
            counts.early.fetch_add(end - begin, std::memory_order_relaxed);
        }))
      return;
  }
  if (!operands.posted) {
    // Whoever posted last meanwhile has left the chunks of this thread to it.
    if (allPosted(channel, number))
      sum(rank, channel, number);
    return;
  }

  int first = SlotWords::vectorChunks, rests = operands.restChunks();
  int64_t from = operands.restBegin(), bytes = layout.extent() - from;
  for (int i = 0; i < rests; ++i)
    if (!sumChunk(rank, channel, number, first + i, /*posted=*/true, [&] {
          sumSpread(layout, ins, out, from + borderOf(bytes, rests, i),
                    from + borderOf(bytes, rests, i + 1));
          if (i == 0)
            makeKnown(channel, number, brought);
        }))
      return;
  if (!isSummed(channel, number, 0, chunks) ||
      !isSummed(channel, number, first, first + rests))
    return; // who does the others finishes
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
    for (int64_t each = 0; each < slotsOf(channel); ++each) {
      const PostWords &mine = post(channel, each, rank);
      int64_t number = std::max(mine.posted.load(), mine.early.number.load());
      if (number > slot(channel, each).finished.load())
        sum(rank, channel, number);
    }
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
