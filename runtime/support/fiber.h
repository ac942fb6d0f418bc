// Threads of control that one thread switches between by hand.
#pragma once

#include "support/status.h"

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace rubato {

/// A function on a stack of its own. It runs only while somebody has switched
/// to it. The thread's own stack is a fiber too, one without a function.
///
/// The end of a function must be noted by whoever runs the fiber (`ended`): a
/// fiber that has ended is never switched to again.
class Fiber {
public:
  /// The fiber of the calling thread.
  Fiber();
  ~Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// A fiber that will run `body` and then switch to `home` for good. Its stack
  /// ends in a page that nobody may touch, so an overflow is a fault and not a
  /// riddle.
  static Status make(size_t stackBytes, std::function<void()> body, Fiber &home,
                     std::unique_ptr<Fiber> &fiber);

  /// Leaves this fiber, which is the running one, and goes on in `next`.
  /// Returns when somebody switches back.
  void switchTo(Fiber &next);

  bool ended() const { return isOver; }

private:
  struct Own {}; // a fiber with a stack
  explicit Fiber(Own) {}

  static void enter(unsigned first, unsigned second);
  void arrive();
  void leave(Fiber &next, bool forGood);

  ucontext_t context = {};
  std::function<void()> body;
  Fiber *home = nullptr;
  void *mapping = nullptr; // guard page and stack
  size_t mappedBytes = 0;
  bool isOver = false;

  // What the sanitizers want to know of a stack.
  const void *stackBottom = nullptr;
  size_t stackSize = 0;
  [[maybe_unused]] void *fakeStack = nullptr;
  [[maybe_unused]] void *race = nullptr;
  /// Who has switched here last: the address sanitizer tells its stack.
  Fiber *from = nullptr;
};

} // namespace rubato
