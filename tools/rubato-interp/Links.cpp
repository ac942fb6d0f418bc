// What messages take on their way. A member's link has two directions, and each
// carries one message at a time, in the order in which they are ready; what the
// cost table says is how long a message occupies it.
#include "tools/rubato-interp/Machine.h"

namespace rubato::interp {

/// A message needs the direction from `ready` on, or from when it is free.
static int64_t occupy(int64_t &freeAt, int64_t ready, int64_t duration) {
  freeAt = std::max(freeAt, ready) + duration;
  return freeAt;
}

int64_t Machine::collectiveDone(World &world, unsigned channel,
                                const Collective &collective) const {
  if (!config.timed)
    return world.now;
  int64_t duration = latency("all_reduce", 0, collective.number * 64 + channel);
  int64_t done = world.now + duration;
  for (const auto &[rank, part] : collective.parts) {
    Link &link = world.links.edit()[rank];
    done = std::max(done, occupy(link.out, world.now, duration));
    done = std::max(done, occupy(link.in, world.now, duration));
  }
  return done;
}

int64_t Machine::exchangeDone(World &world, int from, int to,
                              int64_t tag) const {
  if (!config.timed)
    return world.now;
  int64_t duration = latency("exchange", std::min(from, to), tag);
  std::vector<Link> &links = world.links.edit();
  int64_t begun = occupy(links[from].out, world.now, duration) - duration;
  return occupy(links[to].in, begun, duration);
}

int64_t Machine::pushDone(World &world, int worker, int64_t ticket) const {
  if (!config.timed)
    return world.now;
  return occupy(world.links.edit()[worker].out, world.now,
                latency("message", worker, ticket));
}

int64_t Machine::grantDone(World &world, int worker, int64_t ticket) const {
  if (!config.timed)
    return world.now;
  return occupy(world.links.edit()[worker].in, world.now,
                latency("message", worker, ticket));
}

} // namespace rubato::interp
