// What messages take on their way. A member's link has two directions, and each
// carries one message at a time, in the order in which they are ready; what the
// cost table says is how long a message occupies it. The same holds for an
// uplink that several members share.
#include "tools/rubato-interp/Machine.h"

namespace rubato::interp {

/// A message passes one link after the other and is there when all of them are
/// done. It needs the next from when the one before began to carry it; if that
/// is late because it stood in a queue, from when the next is just done with
/// the one before, but never from before it was sent.
struct Passing {
  explicit Passing(int64_t sent) : sent(sent), wanted(sent), done(sent) {}

  void through(int64_t &freeAt, int64_t duration) {
    if (done - duration < wanted)
      wanted = std::max(sent, done - duration);
    int64_t begun = std::max(freeAt, wanted);
    freeAt = begun + duration;
    wanted = begun;
    done = std::max(done, freeAt);
  }

  int64_t sent, wanted, done;
};

/// Members behind one uplink do not need it for each other.
void Machine::crossUplinks(World &world, int from, int to, Passing &way) const {
  int first = config.costs.uplinkOf(from), second = config.costs.uplinkOf(to);
  if (first == second)
    return;
  std::vector<Link> &uplinks = world.uplinks.edit();
  if (first >= 0)
    way.through(uplinks[first].out, config.costs.uplinks()[first].duration);
  if (second >= 0)
    way.through(uplinks[second].in, config.costs.uplinks()[second].duration);
}

int64_t Machine::collectiveDone(World &world, unsigned channel,
                                const Collective &collective) const {
  if (!config.timed)
    return world.now;
  int64_t duration = latency("all_reduce", 0, collective.number * 64 + channel);
  int64_t done = world.now + duration;
  auto occupy = [&](Link &link) {
    for (int64_t *direction : {&link.out, &link.in}) {
      Passing way(world.now);
      way.through(*direction, duration);
      done = std::max(done, way.done);
    }
  };
  for (const auto &[rank, part] : collective.parts)
    occupy(world.links.edit()[rank]);
  for (Link &uplink : world.uplinks.edit())
    occupy(uplink);
  return done;
}

int64_t Machine::exchangeDone(World &world, int from, int to,
                              int64_t tag) const {
  if (!config.timed)
    return world.now;
  int64_t duration = latency("exchange", std::min(from, to), tag);
  std::vector<Link> &links = world.links.edit();
  Passing way(world.now);
  way.through(links[from].out, duration);
  crossUplinks(world, from, to, way);
  way.through(links[to].in, duration);
  return way.done;
}

int64_t Machine::pushDone(World &world, int worker, int server,
                          int64_t ticket) const {
  if (!config.timed)
    return world.now;
  Passing way(world.now);
  way.through(world.links.edit()[worker].out,
              latency("message", worker, ticket));
  crossUplinks(world, worker, server, way);
  return way.done;
}

int64_t Machine::grantDone(World &world, int server, int worker,
                           int64_t ticket) const {
  if (!config.timed)
    return world.now;
  Passing way(world.now);
  crossUplinks(world, server, worker, way);
  way.through(world.links.edit()[worker].in,
              latency("message", worker, ticket));
  return way.done;
}

} // namespace rubato::interp
