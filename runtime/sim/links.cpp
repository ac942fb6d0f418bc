#include "sim/links.h"

#include <algorithm>

namespace rubato::sim {

/// When one direction has carried what is ready then.
static int64_t carry(int64_t &busyUntil, int64_t ready, int64_t transfer) {
  busyUntil = std::max(busyUntil, ready) + transfer;
  return busyUntil;
}

int64_t Links::send(int from, int to, int64_t ready, const Passage &passage) {
  int64_t sent = carry(link(from).out, ready, passage.transfer);
  return sendTo(to, sent - passage.transfer, passage);
}

int64_t Links::sendFrom(int rank, int64_t ready, const Passage &passage) {
  return carry(link(rank).out, ready, passage.transfer) + passage.latency;
}

int64_t Links::sendTo(int rank, int64_t ready, const Passage &passage) {
  return carry(link(rank).in, ready, passage.transfer) + passage.latency;
}

int64_t Links::together(int64_t ready, int64_t transfer) {
  int64_t done = ready + transfer;
  for (Link &each : links)
    done = std::max({done, carry(each.out, ready, transfer),
                     carry(each.in, ready, transfer)});
  return done;
}

} // namespace rubato::sim
