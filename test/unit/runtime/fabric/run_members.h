// Runs a function as every member of a run: by threads or by processes.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

enum class By { Threads, Processes };

/// Calls `body(rank)` for ranks [0, members); how many returned false or died.
inline int runMembers(By by, int members,
                      const std::function<bool(int)> &body) {
  if (by == By::Threads) {
    std::atomic<int> bad{0};
    std::vector<std::thread> threads;
    for (int rank = 0; rank < members; ++rank)
      threads.emplace_back([&, rank] { bad += !body(rank); });
    for (std::thread &thread : threads)
      thread.join();
    return bad;
  }
  std::vector<pid_t> children;
  for (int rank = 0; rank < members; ++rank) {
    pid_t child = fork();
    if (child == 0)
      _exit(body(rank) ? 0 : 1);
    children.push_back(child);
  }
  int bad = 0;
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    bad += status != 0;
  }
  return bad;
}

/// A deadline no test reaches unless something hangs.
inline std::chrono::steady_clock::time_point soon() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(60);
}
