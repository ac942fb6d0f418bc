// Evaluations in the middle of a run, from the member that leads them to the
// launcher that tells them; in shared memory.
#pragma once

#include "telemetry/metrics.h"

#include <atomic>

namespace rubato {

/// A ring with one writer and one reader.
class EvalBoard {
public:
  /// False: the reader has not taken the oldest one yet.
  bool put(const EvalRecord &record) {
    int64_t at = written.load();
    if (at - taken.load() == room)
      return false;
    records[at % room] = record;
    written.store(at + 1);
    return true;
  }
  /// False: there is nothing new.
  bool take(EvalRecord &record) {
    int64_t at = taken.load();
    if (at == written.load())
      return false;
    record = records[at % room];
    taken.store(at + 1);
    return true;
  }

private:
  static constexpr int64_t room = 16;
  std::atomic<int64_t> written{0}, taken{0};
  EvalRecord records[room];
};

} // namespace rubato
