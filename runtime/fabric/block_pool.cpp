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

/// The blocks that a member wants. Those of one size when rounded are in
/// common.
static std::map<int64_t, int64_t> wantedBy(std::span<const BlockDemand> demands,
                                           int rank) {
  std::map<int64_t, int64_t> wanted;
  for (const BlockDemand &demand : demands)
    if (demand.bytes >= Layout::leastLarge &&
        (demand.rank < 0 || demand.rank == rank))
      wanted[rounded(demand.bytes)] += demand.count;
  return wanted;
}

Status BlockPool::map(std::span<const BlockDemand> demands) {
  // What is mapped costs nothing until it is used, but the kernel is asked for
  // no more than there could be.
  constexpr double share = 0.5;
  double most =
      share * double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  double all = 0;
  for (int rank = 0; rank < members; ++rank)
    for (auto [bytes, count] : wantedBy(demands, rank))
      all += double(bytes) * double(count);
  int64_t place = 0, number = 0;
  for (int rank = 0; rank < members; ++rank) {
    std::map<int64_t, int64_t> wanted = wantedBy(demands, rank);
    double mine = 0;
    for (auto [bytes, count] : wanted)
      mine += double(bytes) * double(count);
    double rest = all > most ? most * mine / all : mine;
    Owner &owner = *owners[size_t(rank)];
    for (auto [bytes, count] : wanted) {
      auto fits = int64_t(rest / double(bytes));
      Size size{bytes, place, int(std::min(fits, count)), number};
      rest -= double(size.bytes * size.count);
      place += size.bytes * size.count;
      number += size.count;
      owner.sizes.push_back(std::move(size));
    }
    owner.end = place;
  }
  RB_TRY(Memory::sharedMemory(place, "values of the members", memory));
  int64_t count = number * members;
  RB_TRY(Memory::sharedMemory(count * int64_t(sizeof(Word)),
                              "words of the members' values", wordMemory));
  words = reinterpret_cast<Word *>(wordMemory.data());
  for (int64_t i = 0; i < count; ++i)
    new (words + i) Word(0);
  // The first comes first: what was never used takes no memory.
  for (auto &owner : owners)
    for (Size &size : owner->sizes)
      for (int i = size.count; i-- > 0;)
        size.unused.push_back(memory.data() + size.place + i * size.bytes);
  return Status::ok();
}

SharedBlock BlockPool::take(int rank, int64_t bytes) {
  SharedBlock found = find(rank, bytes);
  return found ? found : takeBlock(bytes);
}

SharedBlock BlockPool::find(int rank, int64_t bytes) {
  Owner &owner = *owners[size_t(rank)];
  auto size = std::ranges::find(owner.sizes, rounded(bytes), &Size::bytes);
  if (size == owner.sizes.end() || size->count == 0)
    return nullptr;
  reap(owner);
  char *data = nullptr;
  {
    std::lock_guard lock(owner.mutex);
    if (!size->unused.empty()) {
      data = size->unused.back();
      size->unused.pop_back();
    }
  }
  if (!data)
    return nullptr;
  return shareBlock({data, bytes, false}, [pool = shared_from_this(), &owner,
                                           size](const Block &block) {
    std::lock_guard lock(owner.mutex);
    size->unused.push_back(block.data);
  });
}

int BlockPool::ownerOf(const char *data) const {
  auto owner = std::ranges::upper_bound(
      owners, data - memory.data(), {},
      [](const std::unique_ptr<Owner> &each) { return each->end; });
  return int(owner - owners.begin());
}

/// Blocks are counted member by member, size by size.
int64_t BlockPool::numberOf(const char *data) const {
  int64_t place = data - memory.data();
  for (const Size &size : owners[size_t(ownerOf(data))]->sizes)
    if (place < size.place + size.bytes * size.count)
      return size.first + (place - size.place) / size.bytes;
  return -1;
}

bool BlockPool::lend(int rank, const SharedBlock &block,
                     std::span<const int> readers) {
  if (!isOwn(rank, block->data))
    return false;
  reap(*owners[size_t(rank)]);
  for (size_t i = 0; i < readers.size(); ++i)
    if (!claim(readers[i], block->data)) {
      for (int reader : readers.first(i)) // who have not heard of it
        giveBack(reader, block->data);
      return false;
    }
  keepWhileHeld(rank, block);
  return true;
}

void BlockPool::keepWhileHeld(int rank, SharedBlock block) {
  Owner &owner = *owners[size_t(rank)];
  int64_t number = numberOf(block->data);
  std::lock_guard lock(owner.mutex);
  owner.lent.push_back({std::move(block), number});
}

bool BlockPool::claim(int rank, const char *data) {
  uint32_t free = 0;
  return holder(numberOf(data), rank).compare_exchange_strong(free, 1);
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
