// Memory of values in which all members can read: mapped before they fork.
//
// Each member has blocks of its own, which nobody else takes, so the list of
// unused ones is its own affair. A block that others read has a word for every
// member, set by its owner who lends it or by the reader who borrows it; its
// owner uses it again when all words are clear but for those of the dead. There
// is no count: whoever is killed leaves a word behind, never a wrong number.
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
  /// Of the pool or null.
  SharedBlock find(int rank, int64_t bytes);

  /// Whether others can read what is there.
  bool contains(const char *data) const {
    return data >= memory.data() && data < memory.data() + memory.size();
  }

  /// Whether it is a member's memory, or that of another.
  bool isOwn(int rank, const char *data) const {
    return contains(data) && ownerOf(data) == rank;
  }
  bool isAnothers(int rank, const char *data) const {
    return contains(data) && ownerOf(data) != rank;
  }

  /// Everybody has ended: what is lent holds the pool no longer.
  void clear();

  /// Keeps a block for these readers until each has given it back. False: it
  /// is none of this member's, or one of them has it already.
  bool lend(int rank, const SharedBlock &block, std::span<const int> readers);
  /// Keeps a block of this member's until nobody has it. Who borrowed it before
  /// has set its word; nobody is about to.
  void keepWhileHeld(int rank, SharedBlock block);

  /// Sets the word of a reader who sees that the owner still keeps the block.
  /// False: it has it already.
  bool claim(int rank, const char *data);
  /// What was lent to a member or claimed, given back when it is dropped.
  SharedBlock borrow(int rank, char *data, int64_t bytes);
  void giveBack(int rank, const char *data);

private:
  using Word = std::atomic<uint32_t>;
  static_assert(Word::is_always_lock_free);

  /// A member's blocks of one size.
  struct Size {
    int64_t bytes = 0, place = 0; // in the pool
    int count = 0;
    int64_t first = 0; // number of the first
    std::vector<char *> unused = {};
  };
  struct Lent {
    SharedBlock block;
    int64_t number = 0;
  };
  /// What a member keeps to itself.
  struct Owner {
    std::mutex mutex;
    std::vector<Size> sizes; // their places and numbers ascend
    int64_t end = 0;         // of its memory, in the pool
    std::vector<Lent> lent;
  };

  BlockPool(int members, std::function<bool(int)> isAlive);
  Status map(std::span<const BlockDemand> demands);
  int ownerOf(const char *data) const;
  int64_t numberOf(const char *data) const;
  Word &holder(int64_t number, int rank) {
    return words[number * members + rank];
  }
  bool isHeld(int64_t number);
  /// Drops what nobody holds any more.
  void reap(Owner &owner);

  int members;
  std::function<bool(int)> isAlive;
  Memory memory, wordMemory;
  Word *words = nullptr;
  std::vector<std::unique_ptr<Owner>> owners;
};

} // namespace rubato
