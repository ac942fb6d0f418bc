// Work for several threads: numbers that are done one after the other by
// whoever is free.
#ifndef RUBATO_TOOLS_RUBATO_REPRODUCE_SIDEBYSIDE_H
#define RUBATO_TOOLS_RUBATO_REPRODUCE_SIDEBYSIDE_H

#include "llvm/Support/Error.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

/// Does each of 0 … count - 1 once, on at most `jobs` threads. `work(i)` runs
/// beside other calls of itself and gives an Expected; `settle(i, result)` is
/// called by one thread at a time and says whether to go on. Nothing is begun
/// after a failure.
template <typename Work, typename Settle>
llvm::Error sideBySide(size_t count, size_t jobs, Work work, Settle settle) {
  std::mutex mutex;
  llvm::Error failure = llvm::Error::success();
  bool ended = false;
  size_t next = 0;
  auto go = [&] {
    while (true) {
      size_t mine;
      {
        std::lock_guard<std::mutex> guard(mutex);
        if (ended || next == count)
          return;
        mine = next++;
      }
      auto result = work(mine);
      std::lock_guard<std::mutex> guard(mutex);
      if (!result) {
        failure = llvm::joinErrors(std::move(failure), result.takeError());
        ended = true;
      } else if (!settle(mine, *result)) {
        ended = true;
      }
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min(jobs, count); ++i)
    threads.emplace_back(go);
  go();
  for (std::thread &thread : threads)
    thread.join();
  return failure;
}

#endif // RUBATO_TOOLS_RUBATO_REPRODUCE_SIDEBYSIDE_H
