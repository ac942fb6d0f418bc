// Fibers over ucontext, with the annotations that the sanitizers need to follow
// a thread from stack to stack.
#include "support/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if __has_feature(address_sanitizer) || defined(__SANITIZE_ADDRESS__)
#define RUBATO_FIBER_ASAN 1
#include <sanitizer/common_interface_defs.h>
#endif
#if __has_feature(thread_sanitizer) || defined(__SANITIZE_THREAD__)
#define RUBATO_FIBER_TSAN 1
#include <sanitizer/tsan_interface.h>
#endif

namespace rubato {

/// A pointer as two integers.
using Halves = std::array<unsigned, 2>;

Fiber::Fiber() {
#ifdef RUBATO_FIBER_TSAN
  race = __tsan_get_current_fiber();
#endif
}

Fiber::~Fiber() {
  if (!mapping)
    return;
#ifdef RUBATO_FIBER_TSAN
  if (race)
    __tsan_destroy_fiber(race);
#endif
  munmap(mapping, mappedBytes);
}

Status Fiber::make(size_t stackBytes, std::function<void()> body, Fiber &home,
                   std::unique_ptr<Fiber> &fiber) {
  auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_t size = (stackBytes + page - 1) / page * page;
  void *mapping = mmap(nullptr, size + page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (mapping == MAP_FAILED)
    return Status::user("cannot map a stack of " + std::to_string(size) +
                        " bytes: " + std::strerror(errno) +
                        "; simulate fewer members");
  std::unique_ptr<Fiber> made(new Fiber(Own{}));
  made->mapping = mapping;
  made->mappedBytes = size + page;
  // Stacks grow downwards: the first page is the guard.
  char *bottom = static_cast<char *>(mapping) + page;
  if (mprotect(mapping, page, PROT_NONE) != 0 || getcontext(&made->context))
    return {ErrorCode::Internal,
            std::string("cannot prepare a stack: ") + std::strerror(errno)};
  made->body = std::move(body);
  made->home = &home;
  made->stackBottom = bottom;
  made->stackSize = size;
  made->context.uc_stack.ss_sp = bottom;
  made->context.uc_stack.ss_size = size;
  made->context.uc_link = nullptr;
#ifdef RUBATO_FIBER_TSAN
  made->race = __tsan_create_fiber(0);
#endif
  // makecontext passes integers only.
  auto [first, second] = std::bit_cast<Halves>(made.get());
  makecontext(&made->context, reinterpret_cast<void (*)()>(&Fiber::enter), 2,
              first, second);
  fiber = std::move(made);
  return Status::ok();
}

void Fiber::enter(unsigned first, unsigned second) {
  auto *self = std::bit_cast<Fiber *>(Halves{first, second});
  self->arrive();
  self->body();
  self->isOver = true;
  self->leave(*self->home, /*forGood=*/true);
}

void Fiber::switchTo(Fiber &next) {
  leave(next, /*forGood=*/false);
  arrive();
}

void Fiber::leave(Fiber &next, bool forGood) {
  next.from = this;
#ifdef RUBATO_FIBER_ASAN
  // Without a place to save it the fake stack is given up.
  __sanitizer_start_switch_fiber(forGood ? nullptr : &fakeStack,
                                 next.stackBottom, next.stackSize);
#endif
#ifdef RUBATO_FIBER_TSAN
  __tsan_switch_to_fiber(next.race, 0);
#endif
  (void)forGood;
  swapcontext(&context, &next.context);
}

void Fiber::arrive() {
#ifdef RUBATO_FIBER_ASAN
  const void *bottom = nullptr;
  size_t size = 0;
  __sanitizer_finish_switch_fiber(fakeStack, &bottom, &size);
  // The thread's own stack becomes known when it is left for the first time.
  if (from && !from->mapping) {
    from->stackBottom = bottom;
    from->stackSize = size;
  }
#endif
}

} // namespace rubato
