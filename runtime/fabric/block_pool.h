// Memory of values in which all members can read: mapped before they fork.
//
// Each member has blocks of its own, which nobody else takes, so the list of
// unused ones is its own affair. A block that was lent has a word for every
// member that may read it; its owner uses it again when all words are clear but
// for those of the dead. There is no count: whoever is killed leaves a word
// behind, never a wrong number.
#pragma once

#include "fabric/fabric.h"
#include "support/memory.h"

#include <atomic>
#include <mutex>

namespace rubato {

class BlockPool : public std::enable_shared_from_this<BlockPool> {
public:
  /// Maps as many blocks as the machine has room for.
  static Status make(int members, std::span<const BlockDemand> demands,
                     std::function<bool(int rank)> isAlive,
                     std::shared_ptr<BlockPool> &pool);

  /// Of the pool if it has one of this size, otherwise memory of the process.
  SharedBlock take(int rank, int64_t bytes);

  /// Whether others can read what is there.
  bool contains(const char *data) const {
    return data >= memory.data() && data < memory.data() + memory.size();
  }

  /// Whether it was lent to this member by another.
  bool isAnothers(int rank, const char *data) const {
    return contains(data) && numberOf(data) / memberBlocks != rank;
  }

  /// Everybody has ended: what is lent holds the pool no longer.
  void clear();

  /// Keeps a block for these readers until each has given it back. False: it
  /// is none of this member's, or one of them has it already.
  bool lend(int rank, const SharedBlock &block, std::span<const int> readers);

  /// What was lent to a member, given back when it is dropped.
  SharedBlock borrow(int rank, char *data, int64_t bytes);
  void giveBack(int rank, const char *data);

private:
  using Word = std::atomic<uint32_t>;
  static_assert(Word::is_always_lock_free);

  /// Blocks of one size; places are those in a member's memory.
  struct Size {
    int64_t bytes = 0, place = 0;
    int count = 0, first = 0; // number of the first
  };
  struct Lent {
    SharedBlock block;
    int64_t number = 0;
  };
  /// What a member keeps to itself.
  struct Owner {
    std::mutex mutex;
    std::vector<std::vector<char *>> unused; // of each size
    std::vector<Lent> lent;
  };

  BlockPool(int members, std::function<bool(int)> isAlive);
  Status map(std::span<const BlockDemand> demands);
  int64_t numberOf(const char *data) const;
  Word &holder(int64_t number, int rank) {
    return words[number * members + rank];
  }
  bool isHeld(int64_t number);
  /// Drops what nobody holds any more.
  void reap(Owner &owner);

  int members;
  std::function<bool(int)> isAlive;
  std::vector<Size> sizes;
  int64_t memberBytes = 0, memberBlocks = 0;
  Memory memory, wordMemory;
  Word *words = nullptr;
  std::vector<std::unique_ptr<Owner>> owners;
};

} // namespace rubato
