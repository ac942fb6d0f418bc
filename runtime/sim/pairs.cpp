#include "sim/pairs.h"

#include <algorithm>

namespace rubato::sim {

Pairs::Pairs(Stage &stage)
    : stage(stage), lastPeer(static_cast<size_t>(stage.members), -1) {}

void Pairs::countPair(int a, int b) {
  int &ofA = lastPeer[static_cast<size_t>(a)];
  int &ofB = lastPeer[static_cast<size_t>(b)];
  ++stage.statistics.exchanges;
  stage.statistics.repeatedPairs += ofA == b && ofB == a;
  ofA = b;
  ofB = a;
}

Status Pairs::exchange(Strand &strand, const ExchangeStart &call,
                       FutureHandle &future) {
  if (call.peer < 0 || call.peer >= stage.members || call.peer == strand.rank)
    return stage.error(strand, "exchange",
                       "with rank " + std::to_string(call.peer) +
                           "; the other must be another of " +
                           std::to_string(stage.members) + " members");
  auto peer = static_cast<int>(call.peer);
  Future made;
  made.kind = Future::Kind::Exchange;
  made.operation = "exchange";
  made.rank = strand.rank;
  made.channel = call.channel;
  made.number = call.tag;
  made.peer = peer;
  future = stage.futures.add(std::move(made));
  auto mine = std::make_shared<const Payload>(call.ins);
  if (stage.opens(strand, Call::Exchange)) {
    stage.log.text("channel", stage.channelName(call.channel));
    stage.log.number("peer", call.peer);
    stage.log.number("tag", call.tag);
    stage.log.close();
  }
  auto it = posted.find({call.channel, peer, strand.rank, call.tag});
  if (it == posted.end()) {
    posted[{call.channel, strand.rank, peer, call.tag}] = {std::move(mine),
                                                           future};
    return Status::ok();
  }
  Posted theirs = std::move(it->second);
  posted.erase(it);
  if (theirs.values->slots() != mine->slots())
    return stage.error(strand, "exchange",
                       "rank " + std::to_string(peer) + " sends " +
                           shapeOf(theirs.values->slots()) + " under tag " +
                           std::to_string(call.tag) + ", this one " +
                           shapeOf(mine->slots()));
  Passage passage = stage.costs.exchange(std::min(peer, strand.rank), call.tag,
                                         mine->bytes());
  int64_t now = stage.schedule.now();
  int64_t here = stage.links.send(
      {peer, strand.rank, now, theirs.values->bytes(), passage});
  int64_t there =
      stage.links.send({strand.rank, peer, now, mine->bytes(), passage});
  if (Future *other = stage.futures.find(theirs.future))
    Futures::complete(*other, mine, there, stage.schedule);
  Futures::complete(*stage.futures.find(future), theirs.values, here,
                    stage.schedule);
  countPair(strand.rank, peer);
  return Status::ok();
}

std::string Pairs::why(const Future &future) const {
  return "exchange under tag " + std::to_string(future.number) + " on @" +
         stage.channelName(future.channel) + " waits for " +
         stage.list({future.peer});
}

} // namespace rubato::sim
