// The shared-memory transport: the memory of values, and bringing answers.
#include "fabric/shared_fabric.h"

#include <cstring>

namespace rubato {

/// Where a member's values get their memory.
class SharedFabric::Source final : public BlockSource {
public:
  Source(SharedFabric &fabric, int rank) : fabric(fabric), rank(rank) {}
  SharedBlock take(int64_t bytes) override {
    return fabric.pool->take(rank, bytes);
  }
  void copiedCell(int64_t bytes) override {
    fabric.member(rank).cells.fetch_add(bytes, std::memory_order_relaxed);
  }

private:
  SharedFabric &fabric;
  int rank;
};

SharedFabric::~SharedFabric() {
  for (int rank = 0; rank < memberCount; ++rank)
    stopComm(rank);
  if (pool)
    pool->clear();
}

Status SharedFabric::mapBlocks(std::span<const BlockDemand> demands) {
  auto isAlive = [this](int rank) { return life(rank) == Life::Alive; };
  // Without, values are copied: no reason to end a run.
  if (!BlockPool::make(memberCount, demands, isAlive, pool))
    RB_TRY(BlockPool::make(memberCount, {}, isAlive, pool));
  sources.clear();
  for (int rank = 0; rank < memberCount; ++rank)
    sources.push_back(std::make_unique<Source>(*this, rank));
  return Status::ok();
}

BlockSource &SharedFabric::blocks(int rank) { return *sources[size_t(rank)]; }

CopyCounters SharedFabric::copied(int rank) {
  shared::MemberWords &words = member(rank);
  return {words.values.load(), words.numbers.load(), words.cells.load()};
}

SumCounters SharedFabric::summed(int rank) {
  shared::MemberWords &words = member(rank);
  return {words.summed.load(), words.early.load()};
}

void SharedFabric::countCopy(const CallId &call, int64_t values,
                             int64_t numbers) {
  if (specs[size_t(call.channel)].unlimited)
    return; // of the runtime's own
  shared::MemberWords &words = member(call.rank);
  words.values.fetch_add(values, std::memory_order_relaxed);
  words.numbers.fetch_add(numbers, std::memory_order_relaxed);
}

const SharedBlock *SharedFabric::mappedBlock(const Part &part) const {
  if (!part.block || !*part.block)
    return nullptr;
  // One who is alone can read whatever it has.
  return memberCount == 1 || isMapped((*part.block)->data) ? part.block
                                                           : nullptr;
}

SharedBlock SharedFabric::copyOf(const CallId &call, const Part &part) {
  SharedBlock copy = pool->find(call.rank, bytesOf(part));
  if (!copy)
    return nullptr;
  std::memcpy(copy->data, part.data, size_t(bytesOf(part)));
  countCopy(call, bytesOf(part), 0);
  return copy;
}

Spread SharedFabric::lend(const CallId &call, const LargeParts &large,
                          std::span<const int> readers) {
  Spread at;
  for (size_t i = 0; i < size_t(large.layout.count); ++i) {
    const Part &part = *large.parts[i];
    const SharedBlock *block = mappedBlock(part);
    if (block && pool->lend(call.rank, *block, readers)) {
      at.large[i] = (*block)->data;
    } else if (SharedBlock copy = copyOf(call, part)) {
      pool->lend(call.rank, copy, readers); // which nobody has yet
      at.large[i] = copy->data;
    }
  }
  return at;
}

Spread SharedFabric::spread(const CallId &call, Parts ins,
                            const LargeParts &large, Spread at, char *message) {
  const Layout &layout = large.layout;
  Spread copies(layout, message);
  for (size_t i = 0; i < size_t(layout.count); ++i)
    if (!at.large[i]) {
      at.large[i] = copies.large[i];
      std::memcpy(at.large[i], large.parts[i]->data,
                  size_t(layout.large[i].bytes));
      countCopy(call, layout.large[i].bytes, 0);
    }
  at.rest = copies.rest;
  packRest(ins, large, at.rest);
  countCopy(call, 0, layout.rest.bytes());
  return at;
}

void SharedFabric::bring(const CallId &call, const Part &out, int index,
                         char *from) {
  int64_t bytes = bytesOf(out);
  bool collective = isCollective(call);
  // Of a root, or of one who is alone: its own operand.
  if (collective)
    if (const SharedBlock &own = slotState(call).kept[size_t(index)];
        own && own->data == from && out.block) {
      *out.block = own;
      return;
    }
  bool isLent = pool->contains(from) && !(collective && memberCount == 1) &&
                !(collective && call.peer == call.rank);
  // What was granted its reader takes, unless it has it already.
  if (call.kind == Kind::Pull)
    isLent = out.block && isLent && pool->claim(call.rank, from);
  if (out.block && isLent) {
    *out.block = pool->borrow(call.rank, from, bytes);
    return;
  }
  if (out.block && collective && isShown(from, call.channel)) {
    auto shown = slotState(call).shown;
    shown->fetch_add(1);
    *out.block = shareBlock({from, bytes, true},
                            [shown](const Block &) { shown->fetch_sub(1); });
    return;
  }
  SharedBlock copy = out.block ? pool->take(call.rank, bytes) : nullptr;
  std::memcpy(copy ? copy->data : out.data, from, size_t(bytes));
  countCopy(call, bytes, 0);
  if (out.block)
    *out.block = std::move(copy);
  if (isLent)
    pool->giveBack(call.rank, from);
}

void SharedFabric::refuse(const CallId &call, const Spread &at) {
  if (!isCollective(call) || (memberCount > 1 && call.peer != call.rank))
    giveBack(call.rank, at);
}

void SharedFabric::giveBack(int rank, const Spread &at) {
  for (const char *from : at.large)
    if (from && pool->contains(from))
      pool->giveBack(rank, from);
}

} // namespace rubato
