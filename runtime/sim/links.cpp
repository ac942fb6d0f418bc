#include "sim/links.h"

#include "sim/nanoseconds.h"

#include <algorithm>

namespace rubato::sim {

Links::Links(int members, std::span<const Uplink> uplinks)
    : links(static_cast<size_t>(members)), shared(uplinks.size()),
      uplinkOf(uplinksOfRanks(uplinks, members)), uplinks(uplinks) {}

namespace {

/// A message on its way through one link after the other. Its bytes flow on as
/// they come: a link cannot be done with it before the one before is.
struct Travel {
  explicit Travel(int64_t ready) : ready(ready), begun(ready), there(ready) {}

  /// A direction carries it when it has carried what came before. It begins
  /// when the link before it did, or so early that it is done when that is: a
  /// place in the queue of a faster link is a share of its bandwidth, and
  /// nobody waits for it once more.
  void through(int64_t &busyUntil, int64_t transfer) {
    begun = std::max({busyUntil, ready, std::min(begun, there - transfer)});
    busyUntil = later(begun, transfer);
    there = std::max(there, busyUntil);
  }

  int64_t ready, begun, there;
};

} // namespace

int64_t Links::send(const Message &message) {
  auto from = static_cast<size_t>(message.from);
  auto to = static_cast<size_t>(message.to);
  Travel travel(message.ready);
  int64_t latency = message.passage.latency;
  if (message.slow != Message::Slow::Receiver)
    travel.through(links[from].out, message.passage.transfer);
  auto throughUplink = [&](int number, int64_t Link::*direction) {
    if (number < 0)
      return;
    const Uplink &uplink = uplinks[static_cast<size_t>(number)];
    travel.through(shared[static_cast<size_t>(number)].*direction,
                   uplink.transfer(message.bytes));
    latency = later(latency, uplink.latency);
  };
  if (uplinkOf[from] != uplinkOf[to]) {
    throughUplink(uplinkOf[from], &Link::out);
    throughUplink(uplinkOf[to], &Link::in);
  }
  if (message.slow != Message::Slow::Sender)
    travel.through(links[to].in, message.passage.transfer);
  return later(travel.there, latency);
}

int64_t Links::together(int64_t ready, int64_t transfer) {
  int64_t last = later(ready, transfer);
  for (std::vector<Link> *all : {&links, &shared})
    for (Link &each : *all)
      for (int64_t *direction : {&each.out, &each.in}) {
        Travel travel(ready);
        travel.through(*direction, transfer);
        last = std::max(last, travel.there);
      }
  return last;
}

} // namespace rubato::sim
