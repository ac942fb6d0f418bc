// Exchanges of two members, matched by their names and a tag.
#include "tools/rubato-interp/Machine.h"

using namespace mlir;
using namespace rubato::gsync;

namespace rubato::interp {

static void complete(World &world, const Posted &mine, const Posted &theirs,
                     int64_t doneAt) {
  Future &future = world.members[mine.rank].edit().futures.edit()[mine.future];
  future.state = Future::State::Complete;
  future.values = theirs.values;
  future.doneAt = doneAt;
}

LogicalResult Machine::exchange(Here &here, ExchangeOp op) {
  unsigned channel = program.index(op.getChannel());
  Values numbers = operands(here, {op.getPeer(), op.getTag()});
  if (!numbers[0].isKnown() || !numbers[1].isKnown())
    return error(here, op) << "peer and tag must not be data";
  int64_t peer = numbers[0].asInt(), tag = numbers[1].asInt();
  if (peer < 0 || peer >= program.ranks || peer == here.rank)
    return error(here, op) << "exchanges with rank " << peer
                           << "; the other must be another of " << program.ranks
                           << " members";
  Future future;
  future.kind = Future::Kind::Exchange;
  future.channel = channel;
  future.number = tag;
  future.peer = peer;
  future.op = op;
  std::vector<int> present = live(here.world);
  bool dead = !llvm::is_contained(present, int(peer));
  if (dead) {
    future.state = Future::State::Failed;
    future.doneAt = here.world.now;
  }
  Posted mine{here.rank,
              peer,
              tag,
              addFuture(here, std::move(future)),
              op.getOperation(),
              operands(here, op.getValues())};
  record(here, "exchange", [&](llvm::json::OStream &json) {
    json.attribute("channel", op.getChannel());
    json.attribute("peer", peer);
    json.attribute("tag", tag);
  });
  Value handle = Value::handle(op.getFuture().getType(), 0, mine.future);
  finish(here, op, handle);
  if (dead)
    return success();
  auto &posted = here.world.channels[channel].edit().exchanges;
  auto it = llvm::find_if(posted, [&](const Posted &each) {
    return each.rank == peer && each.peer == here.rank && each.tag == tag;
  });
  if (it == posted.end()) {
    posted.push_back(std::move(mine));
    return success();
  }
  if (it->op->getOperandTypes() != op->getOperandTypes())
    return error(here, op) << "rank " << peer
                           << " exchanges values of other types under tag "
                           << tag;
  complete(here.world, mine, *it,
           exchangeDone(here.world, peer, here.rank, tag));
  complete(here.world, *it, mine,
           exchangeDone(here.world, here.rank, peer, tag));
  posted.erase(it);
  return success();
}

void Machine::failExchanges(World &world, int dead) {
  for (unsigned channel = 0; channel != program.channels.size(); ++channel) {
    if (world.channels[channel]->exchanges.empty())
      continue;
    auto &posted = world.channels[channel].edit().exchanges;
    for (const Posted &each : posted)
      if (each.peer == dead && each.rank != dead) {
        Future &future =
            world.members[each.rank].edit().futures.edit()[each.future];
        future.state = Future::State::Failed;
        future.doneAt = world.now;
      }
    llvm::erase_if(posted, [&](const Posted &each) {
      return each.peer == dead || each.rank == dead;
    });
  }
}

} // namespace rubato::interp
