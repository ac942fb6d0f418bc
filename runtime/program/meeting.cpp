#include "program/meeting.h"

#include <algorithm>

namespace rubato {

bool Meeting::hasSibling(int strand) const {
  return std::any_of(running.begin(), running.end(),
                     [&](int other) { return other != strand; });
}

Meeting::Outcome Meeting::meet(int strand) {
  std::unique_lock lock(mutex);
  if (someoneWaits && !abandoned) {
    someoneWaits = false;
    ++meetings;
    changed.notify_all();
    return Outcome::Met;
  }
  int64_t before = meetings;
  someoneWaits = true;
  changed.wait(lock, [&] {
    return meetings != before || abandoned || !hasSibling(strand);
  });
  if (meetings != before)
    return Outcome::Met;
  someoneWaits = false;
  return abandoned ? Outcome::Abandoned : Outcome::Alone;
}

void Meeting::ended(int strand) {
  std::lock_guard lock(mutex);
  std::erase(running, strand);
  changed.notify_all();
}

void Meeting::abandon() {
  std::lock_guard lock(mutex);
  abandoned = true;
  changed.notify_all();
}

} // namespace rubato
