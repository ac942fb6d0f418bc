// A pool of blocks by size, cut from large pieces of memory.
#include "support/block.h"

#include "support/processor_meter.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace rubato {

namespace {

class Pool {
public:
  char *take(int64_t bytes) {
    std::lock_guard guard(mutex);
    Size &size = sizes[bytes];
    if (!size.unused.empty()) {
      char *data = size.unused.back();
      size.unused.pop_back();
      return data;
    }
    if (size.fresh == size.end)
      cut(size, bytes);
    char *data = size.fresh;
    size.fresh += bytes;
    total += bytes;
    touch(data, bytes);
    return data;
  }

  void giveBack(char *data, int64_t bytes) {
    std::lock_guard guard(mutex);
    sizes[bytes].unused.push_back(data);
  }

  int64_t bytes() {
    std::lock_guard guard(mutex);
    return total;
  }

private:
  struct Size {
    std::vector<char *> unused;
    char *fresh = nullptr, *end = nullptr; // of the present piece
  };

  /// Pieces are never given back: what a run needed once it needs again.
  static void cut(Size &size, int64_t bytes) {
    constexpr int64_t hugePage = 2 << 20, most = 64 << 20, blocks = 16;
    int64_t count = std::clamp<int64_t>(most / bytes, 1, blocks);
    bool isLarge = count * bytes >= 2 * hugePage;
    auto alignment = std::align_val_t(isLarge ? hugePage : blockAlignment);
    auto allocate = [&] {
      return static_cast<char *>(::operator new(
          static_cast<size_t>(count * bytes), alignment, std::nothrow));
    };
    size.fresh = allocate();
    if (!size.fresh) {
      count = 1;
      size.fresh = allocate();
    }
    if (!size.fresh) {
      // In the middle of compiled code: nobody could go on without it.
      std::fprintf(stderr,
                   "error: no memory for a value of %lld bytes; try fewer "
                   "workers, or a smaller --batch\n",
                   static_cast<long long>(bytes));
      std::_Exit(1);
    }
    auto piece = static_cast<size_t>(count * bytes);
    size.end = size.fresh + piece;
    if (isLarge) // a hint: nothing depends on the answer
      (void)madvise(size.fresh, piece, MADV_HUGEPAGE);
  }

  /// Whoever writes first would have to wait for the pages, unnoticed.
  static void touch(char *data, int64_t bytes) {
    SpendingBlock spending(Spending::Memory);
    int64_t page = sysconf(_SC_PAGESIZE);
    for (int64_t at = 0; at < bytes; at += page)
      data[at] = 0;
    data[bytes - 1] = 0;
  }

  std::mutex mutex;
  std::map<int64_t, Size> sizes;
  int64_t total = 0;
};

/// Blocks may outlive all that has an order of destruction.
Pool &pool() {
  static Pool &only = *new Pool;
  return only;
}

} // namespace

SharedBlock takeBlock(int64_t bytes) {
  int64_t rounded = std::max<int64_t>((bytes + blockAlignment - 1) /
                                          blockAlignment * blockAlignment,
                                      blockAlignment);
  return shareBlock(
      {pool().take(rounded), bytes, false},
      [rounded](const Block &block) { pool().giveBack(block.data, rounded); });
}

bool isWritable(const SharedBlock &block) {
  if (!block || block->readOnly || block.use_count() != 1)
    return false;
  // To count is to look, and no more; to hold it once more is ordered behind
  // whoever dropped it.
  SharedBlock held = block;
  return held.use_count() == 2;
}

int64_t blockBytes() { return pool().bytes(); }

} // namespace rubato
