// A table of futures; a handle is a place in it and how often the place was
// used before.
#include "sim/futures.h"

#include <algorithm>

namespace rubato::sim {

static constexpr int64_t kPlaces = int64_t{1} << 24;

FutureHandle Futures::add(Future future) {
  size_t at = places.size();
  if (unused.empty()) {
    places.emplace_back();
  } else {
    at = unused.back();
    unused.pop_back();
  }
  Place &place = places[at];
  place.future = std::move(future);
  place.used = true;
  return place.generation * kPlaces + static_cast<int64_t>(at) + 1;
}

Future *Futures::find(FutureHandle handle) {
  int64_t at = (handle - 1) % kPlaces, generation = (handle - 1) / kPlaces;
  if (handle <= 0 || at >= static_cast<int64_t>(places.size()))
    return nullptr;
  Place &place = places[static_cast<size_t>(at)];
  return place.used && place.generation == generation ? &place.future : nullptr;
}

void Futures::erase(FutureHandle handle) {
  auto at = static_cast<size_t>((handle - 1) % kPlaces);
  Place &place = places[at];
  place.future = {};
  place.used = false;
  ++place.generation;
  unused.push_back(at);
}

void Futures::complete(Future &future, SharedPayload values, int64_t doneAt,
                       Schedule &schedule) {
  future.complete = true;
  future.values = std::move(values);
  future.doneAt = doneAt;
  if (Strand *voided = std::exchange(future.voids, nullptr))
    schedule.hasten(*voided, doneAt);
  if (Strand *waiter = std::exchange(future.waiter, nullptr))
    schedule.wake(*waiter, std::max({waiter->readyAt, future.wantedAt(),
                                     schedule.now()}));
}

} // namespace rubato::sim
