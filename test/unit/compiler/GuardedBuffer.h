// Floats that end where memory ends: an access past them is a crash.
#ifndef RUBATO_TEST_UNIT_COMPILER_GUARDEDBUFFER_H
#define RUBATO_TEST_UNIT_COMPILER_GUARDEDBUFFER_H

#include "CompiledKernels.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace rubato::test {

/// `count` reproducible floats, with an untouchable page behind the last one
/// and another in front of the first one's page.
class GuardedBuffer {
public:
  GuardedBuffer(size_t count, uint32_t seed) {
    size_t page = sysconf(_SC_PAGESIZE);
    size_t bytes = count * sizeof(float);
    size_t inner = (bytes + page - 1) / page * page;
    size = inner + 2 * page;
    base = static_cast<char *>(
        mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base + page, inner, PROT_READ | PROT_WRITE);
    first = reinterpret_cast<float *>(base + page + inner - bytes);
    std::ranges::copy(numbers<float>(count, seed), first);
  }
  ~GuardedBuffer() { munmap(base, size); }
  GuardedBuffer(const GuardedBuffer &) = delete;
  GuardedBuffer &operator=(const GuardedBuffer &) = delete;

  float *data() { return first; }
  float &operator[](size_t i) { return first[i]; }

private:
  char *base;
  float *first;
  size_t size;
};

} // namespace rubato::test

#endif // RUBATO_TEST_UNIT_COMPILER_GUARDEDBUFFER_H
