// Memory of values that come and go.
#pragma once

#include "support/recycling_allocator.h"

#include <cstdint>
#include <memory>
#include <utility>

namespace rubato {

/// Where a block begins: as aligned as the compiler places buffers in regions.
inline constexpr int64_t blockAlignment = 256;

/// Aligned memory of one value. Those who hold it together only read it.
struct Block {
  char *data = nullptr;
  int64_t bytes = 0;
  /// Others may read it whom no count of this process knows: whoever wants to
  /// write gets another one.
  bool readOnly = false;
};
using SharedBlock = std::shared_ptr<const Block>;

/// A block that `giveBack` ends when nobody holds it any more.
template <typename GiveBack>
SharedBlock shareBlock(Block block, GiveBack giveBack) {
  struct Held {
    Held(const Block &block, GiveBack giveBack)
        : block(block), giveBack(std::move(giveBack)) {}
    Held(const Held &) = delete;
    ~Held() { giveBack(block); }
    Block block;
    GiveBack giveBack;
  };
  auto held = std::allocate_shared<Held>(RecyclingAllocator<Held>(), block,
                                         std::move(giveBack));
  const Block *shown = &held->block;
  return {std::move(held), shown};
}

/// Whether whoever holds it may write to it. What others read before they
/// dropped it has been read.
bool isWritable(const SharedBlock &block);

/// Where the values of a member get their memory.
class BlockSource {
public:
  virtual ~BlockSource() = default;
  /// A block of undefined content.
  virtual SharedBlock take(int64_t bytes) = 0;
  /// A cell that another strand may write was copied into a value.
  virtual void copiedCell(int64_t bytes) {}
};

/// A block of undefined content: one that was given back, or a new one. What
/// was used last comes first, while it is still in the cache.
SharedBlock takeBlock(int64_t bytes);

/// Bytes of all blocks of this process, used or given back.
int64_t blockBytes();

} // namespace rubato
