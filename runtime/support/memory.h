// Large blocks of zeroed memory straight from the kernel.
#pragma once

#include "support/status.h"

#include <cstddef>
#include <cstdint>

namespace rubato {

/// A block of memory, anonymous or memfd-backed; page aligned, zero at first,
/// owned.
class Memory {
public:
  Memory() = default;
  Memory(Memory &&other) noexcept { swap(other); }
  Memory &operator=(Memory &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Memory();

  /// Memory of this process alone. `purpose` is for the error message.
  static Status privateMemory(int64_t bytes, const char *purpose, Memory &to);

  /// Memory that forked processes keep in common. It has no name in any file
  /// system, its size is sealed, and no descriptor stays open.
  static Status sharedMemory(int64_t bytes, const char *purpose, Memory &to);

  /// Has the kernel bring all its pages now.
  void touch();

  char *data() const { return static_cast<char *>(data_); }
  int64_t size() const { return static_cast<int64_t>(size_); }

private:
  void swap(Memory &other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  void adviseHugePages();

  void *data_ = nullptr;
  size_t size_ = 0;
};

} // namespace rubato
