// Memory: private memory by mmap, shared memory by a sealed memfd.
#include "support/memory.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace rubato {

/// Refuses what cannot fit before the kernel is asked: overcommit would grant
/// it and kill the process on first use.
static Status checkSize(int64_t bytes, const char *purpose) {
  int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (bytes < 0 || (pages > 0 && bytes / page > pages))
    return Status::user("cannot map " + std::to_string(bytes) + " bytes of " +
                        purpose + ": this machine has " +
                        std::to_string(pages * page) +
                        "; use a smaller --batch or fewer workers");
  return Status::ok();
}

static Status mapError(int64_t bytes, const char *purpose) {
  return Status::user("cannot map " + std::to_string(bytes) + " bytes of " +
                      purpose + ": " + std::strerror(errno));
}

Memory::~Memory() {
  if (data_)
    munmap(data_, size_);
}

void Memory::adviseHugePages() {
  constexpr size_t hugePage = 2 << 20;
  if (size_ >= hugePage) // a hint: nothing depends on the answer
    (void)madvise(data_, size_, MADV_HUGEPAGE);
}

void Memory::touch() {
  auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (size_t at = 0; at < size_; at += page)
    static_cast<volatile char *>(data_)[at] = 0; // as it is
}

Status Memory::privateMemory(int64_t bytes, const char *purpose, Memory &to) {
  RB_TRY(checkSize(bytes, purpose));
  Memory block;
  block.size_ = bytes > 0 ? static_cast<size_t>(bytes) : 1;
  void *data = mmap(nullptr, block.size_, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED)
    return mapError(bytes, purpose);
  block.data_ = data;
  block.adviseHugePages();
  to = std::move(block);
  return Status::ok();
}

Status Memory::sharedMemory(int64_t bytes, const char *purpose, Memory &to) {
  RB_TRY(checkSize(bytes, purpose));
  Memory block;
  block.size_ = bytes > 0 ? static_cast<size_t>(bytes) : 1;
  int fd = memfd_create("rubato", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0)
    return mapError(bytes, purpose);
  // With the size sealed, no member can make another one's access fault.
  void *data = MAP_FAILED;
  if (ftruncate(fd, static_cast<off_t>(block.size_)) == 0 &&
      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    data =
        mmap(nullptr, block.size_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  Status status = data == MAP_FAILED ? mapError(bytes, purpose) : Status::ok();
  close(fd); // the block lives on, and is inherited by fork
  RB_TRY(std::move(status));
  block.data_ = data;
  block.adviseHugePages();
  to = std::move(block);
  return Status::ok();
}

} // namespace rubato
