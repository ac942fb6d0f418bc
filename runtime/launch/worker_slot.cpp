#include "launch/worker_slot.h"

#include <cstdio>
#include <cstring>

using namespace rubato;

void WorkerSlot::finish(const Status &status) {
  code = static_cast<int>(status.code());
  std::strncpy(message, status.message().c_str(), sizeof message - 1);
  finished.store(1);
}

int rubato::causeOf(const WorkerSlot *slots, int members, int first) {
  for (int rank = 0; rank < members; ++rank)
    if (int code = slots[rank].code;
        code != 0 && code != static_cast<int>(ErrorCode::Communication))
      return rank;
  return first;
}

int rubato::reportError(const WorkerSlot &slot, int rank) {
  bool everywhere = slot.code == static_cast<int>(ErrorCode::Numeric);
  std::string who = everywhere ? "" : "rank " + std::to_string(rank) + ": ";
  std::fprintf(stderr, "error: %s%s\n", who.c_str(), slot.message);
  return slot.code;
}
