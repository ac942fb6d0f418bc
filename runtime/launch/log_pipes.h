// What workers print, line by line with their rank in front.
#pragma once

#include "support/status.h"

#include <chrono>
#include <string>
#include <vector>

namespace rubato {

class LogPipes {
public:
  LogPipes() = default;
  LogPipes(const LogPipes &) = delete;
  LogPipes &operator=(const LogPipes &) = delete;
  ~LogPipes() { closeAll(); }

  /// Makes the pipe of the worker that is forked next.
  Status open(int rank);

  /// In that worker: stdout and stderr go into the newest pipe.
  void redirect();

  /// In the launcher, after the fork.
  void closeWriter();
  void closeAll();

  /// Copies lines to stderr as "[rank 1] …"; waits for the first at most
  /// this long.
  void forward(std::chrono::milliseconds patience);

  /// Copies what is left once all workers have ended.
  void drain();

private:
  struct Pipe {
    int rank = 0, reader = -1;
    std::string line; // begun, not ended
  };
  bool read(Pipe &pipe);
  void print(Pipe &pipe, size_t end);

  std::vector<Pipe> pipes;
  int writer = -1;
};

} // namespace rubato
