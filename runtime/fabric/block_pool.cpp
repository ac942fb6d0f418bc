// The pool: see block_pool.h.
#include "fabric/block_pool.h"

#include "fabric/message.h"

#include <algorithm>
#include <map>
#include <new>
#include <unistd.h>

namespace rubato {

BlockPool::BlockPool(int members, std::function<bool(int)> isAlive)
    : members(members), isAlive(std::move(isAlive)) {
  for (int rank = 0; rank < members; ++rank)
    owners.push_back(std::make_unique<Owner>());
}

Status BlockPool::make(int members, std::span<const BlockDemand> demands,
                       std::function<bool(int)> isAlive,
                       std::shared_ptr<BlockPool> &pool) {
  std::shared_ptr<BlockPool> made(new BlockPool(members, std::move(isAlive)));
  RB_TRY(made->map(demands));
  pool = std::move(made);
  return Status::ok();
}

static int64_t rounded(int64_t bytes) {
  return (bytes + Layout::alignment - 1) / Layout::alignment *
         Layout::alignment;
}

Status BlockPool::map(std::span<const BlockDemand> demands) {
  // What is mapped costs nothing until it is used, but the kernel is asked for
  // no more than there could be.
  constexpr double share = 0.5;
  double most = share * double(sysconf(_SC_PHYS_PAGES)) *
                double(sysconf(_SC_PAGESIZE)) / members;
  // Those of one size when rounded have their blocks in common.
  std::map<int64_t, int64_t> wanted;
  for (const BlockDemand &demand : demands)
    if (demand.bytes >= Layout::leastLarge)
      wanted[rounded(demand.bytes)] += demand.count;
  for (auto [bytes, count] : wanted) {
    auto fits = int64_t((most - double(memberBytes)) / double(bytes));
    Size size{bytes, memberBytes, int(std::clamp<int64_t>(fits, 0, count)),
              int(memberBlocks)};
    memberBytes += size.bytes * size.count;
    memberBlocks += size.count;
    sizes.push_back(size);
  }
  RB_TRY(Memory::sharedMemory(memberBytes * members, "values of the members",
                              memory));
  int64_t count = memberBlocks * members * members;
  RB_TRY(Memory::sharedMemory(count * int64_t(sizeof(Word)),
                              "words of the members' values", wordMemory));
  words = reinterpret_cast<Word *>(wordMemory.data());
  for (int64_t i = 0; i < count; ++i)
    new (words + i) Word(0);
  for (int rank = 0; rank < members; ++rank)
    for (const Size &size : sizes) {
      // The first comes first: what was never used takes no memory.
      auto &unused = owners[size_t(rank)]->unused.emplace_back();
      for (int i = size.count; i-- > 0;)
        unused.push_back(memory.data() + rank * memberBytes + size.place +
                         i * size.bytes);
    }
  return Status::ok();
}

SharedBlock BlockPool::take(int rank, int64_t bytes) {
  auto size = std::ranges::find(sizes, rounded(bytes), &Size::bytes);
  if (size == sizes.end() || size->count == 0)
    return takeBlock(bytes);
  Owner &owner = *owners[size_t(rank)];
  auto index = size_t(size - sizes.begin());
  reap(owner);
  char *data = nullptr;
  {
    std::lock_guard lock(owner.mutex);
    if (auto &unused = owner.unused[index]; !unused.empty()) {
      data = unused.back();
      unused.pop_back();
    }
  }
  if (!data)
    return takeBlock(bytes);
  return shareBlock({data, bytes, false}, [pool = shared_from_this(), &owner,
                                           index](const Block &block) {
    std::lock_guard lock(owner.mutex);
    owner.unused[index].push_back(block.data);
  });
}

/// Blocks are counted member by member, size by size.
int64_t BlockPool::numberOf(const char *data) const {
  int64_t offset = data - memory.data();
  int64_t rank = offset / memberBytes, place = offset % memberBytes;
  for (const Size &size : sizes)
    if (place >= size.place && place < size.place + size.bytes * size.count)
      return rank * memberBlocks + size.first +
             (place - size.place) / size.bytes;
  return -1;
}

bool BlockPool::lend(int rank, const SharedBlock &block,
                     std::span<const int> readers) {
  if (!contains(block->data))
    return false;
  int64_t number = numberOf(block->data);
  if (number / memberBlocks != rank)
    return false;
  Owner &owner = *owners[size_t(rank)];
  reap(owner);
  for (int reader : readers)
    if (holder(number, reader).load(std::memory_order_acquire))
      return false;
  for (int reader : readers)
    holder(number, reader).store(1, std::memory_order_release);
  std::lock_guard lock(owner.mutex);
  owner.lent.push_back({block, number});
  return true;
}

bool BlockPool::isHeld(int64_t number) {
  for (int reader = 0; reader < members; ++reader)
    if (Word &word = holder(number, reader);
        word.load(std::memory_order_acquire)) {
      if (isAlive(reader))
        return true;
      word.store(0, std::memory_order_release); // the dead read no more
    }
  return false;
}

void BlockPool::reap(Owner &owner) {
  std::vector<Lent> free; // outlives the lock, which their ends need
  std::lock_guard lock(owner.mutex);
  for (size_t i = 0; i < owner.lent.size();) {
    if (isHeld(owner.lent[i].number)) {
      ++i;
      continue;
    }
    free.push_back(std::move(owner.lent[i]));
    owner.lent[i] = std::move(owner.lent.back());
    owner.lent.pop_back();
  }
}

void BlockPool::clear() {
  for (auto &owner : owners) {
    std::vector<Lent> free; // outlives the lock, which their ends need
    std::lock_guard lock(owner->mutex);
    free.swap(owner->lent);
  }
}

SharedBlock BlockPool::borrow(int rank, char *data, int64_t bytes) {
  return shareBlock({data, bytes, true},
                    [pool = shared_from_this(), rank](const Block &block) {
                      pool->giveBack(rank, block.data);
                    });
}

void BlockPool::giveBack(int rank, const char *data) {
  holder(numberOf(data), rank).store(0, std::memory_order_release);
}

} // namespace rubato
