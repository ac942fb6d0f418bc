#include "sim/links.h"

#include <algorithm>

namespace rubato::sim {

Links::Links(int members, std::span<const Uplink> uplinks)
    : links(static_cast<size_t>(members)), shared(uplinks.size()),
      uplinkOf(uplinksOfRanks(uplinks, members)), uplinks(uplinks) {}

namespace {

/// A message on its way through one link after the other. The next may begin
/// when this one does, and cannot be done before it.
struct Travel {
  int64_t begun = 0, there = 0;

  /// A direction carries it when it has carried what came before.
  void through(int64_t &busyUntil, int64_t transfer) {
    busyUntil = std::max(busyUntil, begun) + transfer;
    begun = busyUntil - transfer;
    there = std::max(there, busyUntil);
  }
};

} // namespace

int64_t Links::send(const Message &message) {
  auto from = static_cast<size_t>(message.from);
  auto to = static_cast<size_t>(message.to);
  Travel travel{message.ready, message.ready};
  int64_t latency = message.passage.latency;
  if (message.slow != Message::Slow::Receiver)
    travel.through(links[from].out, message.passage.transfer);
  auto throughUplink = [&](int number, int64_t Link::*direction) {
    if (number < 0)
      return;
    const Uplink &uplink = uplinks[static_cast<size_t>(number)];
    travel.through(shared[static_cast<size_t>(number)].*direction,
                   uplink.transfer(message.bytes));
    latency += uplink.latency;
  };
  if (uplinkOf[from] != uplinkOf[to]) {
    throughUplink(uplinkOf[from], &Link::out);
    throughUplink(uplinkOf[to], &Link::in);
  }
  if (message.slow != Message::Slow::Sender)
    travel.through(links[to].in, message.passage.transfer);
  return travel.there + latency;
}

int64_t Links::together(int64_t ready, int64_t transfer) {
  Travel travel{ready, ready + transfer};
  for (std::vector<Link> *all : {&links, &shared})
    for (Link &each : *all)
      for (int64_t *direction : {&each.out, &each.in}) {
        travel.begun = ready;
        travel.through(*direction, transfer);
      }
  return travel.there;
}

} // namespace rubato::sim
