// Queues of links, each a word that says until when it is taken.
#include "fabric/links.h"

#include <algorithm>

namespace rubato {

Status Links::limit(const RateLimit &limit) {
  if (!(limit.bytesPerSecond >= 0) || limit.latency.count() < 0)
    return Status::user("cannot slow links down by a negative bandwidth or "
                        "latency: use 0 for no limit");
  latency = limit.latency.count();
  perByte = limit.bytesPerSecond > 0 ? 1e9 / limit.bytesPerSecond : 0;
  return Status::ok();
}

/// Takes a direction for what is ready then; when it has been carried.
static int64_t carry(std::atomic<int64_t> &busyUntil, int64_t ready,
                     int64_t transfer) {
  int64_t seen = busyUntil.load(), done = 0;
  do
    done = std::max(seen, ready) + transfer;
  while (!busyUntil.compare_exchange_weak(seen, done));
  return done;
}

int64_t Links::send(int from, int to, int64_t ready, int64_t bytes) {
  if (!queue())
    return ready + latency;
  int64_t transfer = transferOf(bytes);
  int64_t sent = carry(words[from].out, ready, transfer);
  return carry(words[to].in, sent - transfer, transfer) + latency;
}

int64_t Links::reduce(int rank, int64_t ready, int64_t bytes) {
  if (!queue())
    return ready + latency;
  int64_t transfer = transferOf(bytes);
  return std::max(carry(words[rank].out, ready, transfer),
                  carry(words[rank].in, ready, transfer)) +
         latency;
}

} // namespace rubato
