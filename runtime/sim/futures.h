// The futures of all virtual members.
#pragma once

#include "environment/environment.h"
#include "sim/payload.h"
#include "sim/schedule.h"
#include "support/marks.h"

#include <vector>

namespace rubato::sim {

struct Future {
  enum class Kind { Collective, Exchange, Pull };
  Kind kind = Kind::Collective;
  const char *operation = ""; // as the log says: "all_reduce"
  int rank = 0, channel = 0;
  /// Sequence number of a collective, tag of an exchange, the ticket after
  /// which a pull waits.
  int64_t number = 0;
  int peer = -1;

  bool complete = false;
  int64_t doneAt = 0;         // when the completion arrives
  bool seen = false;          // a poll saw it done, so every later poll does
  SharedPayload values;       // null: zeros
  int64_t ticket = 0, go = 0; // of a pull
  Strand *waiter = nullptr;
  Marks arrives;      // of a collective: when parts of its first value do
  int64_t first = -1; // bytes of it that are awaited; all if negative
  int64_t wantedAt() const {
    return first < 0 || arrives.empty() ? doneAt : timeOf(arrives, first);
  }
  /// Somebody's work that the completion cuts short.
  Strand *voids = nullptr;
};

/// Handles stay valid until their future is awaited and are told apart from
/// later ones.
class Futures {
public:
  FutureHandle add(Future future);
  /// Null for what was awaited already.
  Future *find(FutureHandle handle);
  void erase(FutureHandle handle);

  /// Completes a future at `doneAt` and wakes who waits for it.
  static void complete(Future &future, SharedPayload values, int64_t doneAt,
                       Schedule &schedule);

private:
  struct Place {
    Future future;
    int64_t generation = 0;
    bool used = false;
  };
  std::vector<Place> places;
  std::vector<size_t> unused;
};

} // namespace rubato::sim
