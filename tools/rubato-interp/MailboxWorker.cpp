// The workers' end of a mailbox: pulls, pushes and uploads on their way.
#include "tools/rubato-interp/Machine.h"

using namespace mlir;
using namespace rubato::gsync;

namespace rubato::interp {

LogicalResult Machine::pull(Here &here, PullOp op) {
  FailureOr<int64_t> after = numberOf(here, op, op.getAfter());
  if (failed(after))
    return failure();
  Future future;
  future.kind = Future::Kind::Pull;
  future.channel = program.index(op.getChannel());
  future.number = *after;
  future.op = op;
  record(here, "pull", [&](llvm::json::OStream &json) {
    json.attribute("channel", op.getChannel());
    json.attribute("after", future.number);
  });
  unsigned channel = future.channel;
  finish(here, op,
         Value::handle(op.getFuture().getType(), 0,
                       addFuture(here, std::move(future))));
  settlePulls(here.world, channel);
  return success();
}

/// Completes the pulls that a grant, the close or the server's death answers.
void Machine::settlePulls(World &world, unsigned channel) {
  ChannelInfo &info = program.channels[channel];
  const Mailbox &box = world.channels[channel]->mailbox;
  const Member &server = *world.members[info.server];
  bool dead = !server.alive || server.phase == Phase::Failed;
  for (size_t w = 0; w != info.workers.size(); ++w) {
    Member &member = world.members[info.workers[w]].edit();
    for (auto &[id, future] : member.futures.edit()) {
      if (future.kind != Future::Kind::Pull || future.channel != channel ||
          future.state != Future::State::Pending)
        continue;
      ArrayRef<Type> types =
          cast<FutureType>(future.op->getResult(0).getType()).getTypes();
      const Mailbox::Granted &granted = box.granted[w];
      if (dead && !box.closed) {
        future.state = Future::State::Failed;
        future.doneAt = world.now;
      } else if (box.closed) {
        future.state = Future::State::Complete;
        future.doneAt = grantDone(world, info.server, info.workers[w], -1);
        for (Type type : types)
          future.values.push_back(zeroOf(type));
      } else if (granted.ticket > future.number) {
        future.state = Future::State::Complete;
        future.doneAt = std::max(world.now, granted.at);
        future.values = granted.values;
        future.values.push_back(give(types.end()[-2], granted.ticket));
        future.values.push_back(give(types.back(), 1));
      }
    }
  }
}

LogicalResult Machine::push(Here &here, PushOp op) {
  unsigned channel = program.index(op.getChannel());
  FailureOr<int64_t> ticket = numberOf(here, op, op.getTicket());
  if (failed(ticket))
    return failure();
  Upload upload;
  upload.worker = program.channels[channel].workerIndex(here.rank);
  upload.ticket = *ticket;
  upload.values = operands(here, op.getValues());
  upload.at = pushDone(here.world, here.rank, program.channels[channel].server,
                       upload.ticket);
  record(here, "push", [&](llvm::json::OStream &json) {
    json.attribute("channel", op.getChannel());
    json.attribute("ticket", upload.ticket);
  });
  finish(here, op, {});
  if (!config.timed)
    return deliver(here.world, channel, std::move(upload));
  here.world.channels[channel].edit().mailbox.flying.push_back(
      std::move(upload));
  return success();
}

std::optional<int64_t> Machine::nextArrival(const World &world) const {
  std::optional<int64_t> first;
  for (const Cow<ChannelState> &channel : world.channels)
    for (const Upload &upload : channel->mailbox.flying)
      if (!first || upload.at < *first)
        first = upload.at;
  return first;
}

LogicalResult Machine::arrive(World &world) {
  int64_t at = *nextArrival(world);
  world.now = std::max(world.now, at);
  for (unsigned i = 0; i != world.channels.size(); ++i) {
    auto &flying = world.channels[i].edit().mailbox.flying;
    auto it = flying.end();
    for (auto each = flying.begin(); each != flying.end(); ++each)
      if (each->at == at && (it == flying.end() || each->worker < it->worker))
        it = each;
    if (it == flying.end())
      continue;
    Upload upload = std::move(*it);
    flying.erase(it);
    return deliver(world, i, std::move(upload));
  }
  return success();
}

} // namespace rubato::interp
