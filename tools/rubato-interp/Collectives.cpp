// Collectives: all members together, matched by their number on the channel.
// A contribution that was posted before its member died counts; everybody gets
// the same result.
#include "tools/rubato-interp/Arithmetic.h"
#include "tools/rubato-interp/Machine.h"

using namespace mlir;
using namespace rubato::gsync;

namespace rubato::interp {

LogicalResult Machine::post(Here &here, Operation *op) {
  unsigned channel = program.index(channelOf(op).getValue());
  int64_t number = here.member().posted[channel]++;
  Collective &collective =
      here.world.channels[channel].edit().collectives[number];
  collective.number = number;
  if (!collective.parts.empty()) {
    auto &[rank, first] = *collective.parts.begin();
    if (first.op->getName() != op->getName() ||
        first.op->getOperandTypes() != op->getOperandTypes()) {
      InFlightDiagnostic diagnostic = error(here, op);
      diagnostic << "'" << op->getName() << "' is number " << number << " on @"
                 << channelOf(op).getValue() << ", but rank " << rank
                 << " has '" << first.op->getName()
                 << "' there; all members must use a channel in one order";
      diagnostic.attachNote(first.op->getLoc()) << "of rank " << rank;
      return diagnostic;
    }
  }
  Collective::Part part;
  part.op = op;
  ValueRange values = op->getOperands();
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    const Value &root = here.get(broadcast.getRoot(), program);
    part.root = root.isKnown() ? root.asInt() : 0;
    values = broadcast.getValues();
  }
  part.values = operands(here, values);
  Future future;
  future.kind = Future::Kind::Collective;
  future.channel = channel;
  future.number = number;
  future.op = op;
  part.future = addFuture(here, std::move(future));
  Value handle = Value::handle(op->getResult(0).getType(), 0, part.future);
  collective.parts[here.rank] = std::move(part);
  acknowledge(here.world, here.rank, channel);
  ++here.world.statistics.edit().collectives[here.rank];
  record(here, op->getName().stripDialect(), [&](llvm::json::OStream &json) {
    json.attribute("channel", channelOf(op).getValue());
    json.attribute("seq", number);
  });
  finish(here, op, handle);
  return settleCollectives(here.world, channel);
}

LogicalResult Machine::settleCollectives(World &world, unsigned channel) {
  if (world.channels[channel]->collectives.empty())
    return success();
  std::vector<int> present = live(world);
  auto &open = world.channels[channel].edit().collectives;
  for (auto it = open.begin(); it != open.end();) {
    Collective &collective = it->second;
    if (!llvm::all_of(present,
                      [&](int rank) { return collective.parts.count(rank); })) {
      ++it;
      continue;
    }
    if (failed(completeCollective(world, channel, collective)))
      return failure();
    it = open.erase(it);
  }
  return success();
}

LogicalResult Machine::completeCollective(World &world, unsigned channel,
                                          Collective &collective) {
  if (collective.parts.empty())
    return success();
  std::vector<const Values *> values;
  std::vector<int> present;
  for (auto &[rank, part] : collective.parts) {
    values.push_back(&part.values);
    if (world.members[rank]->alive)
      present.push_back(rank);
  }
  Operation *op = collective.parts.begin()->second.op;
  Values shared;
  if (auto reduce = dyn_cast<AllReduceOp>(op)) {
    size_t dense = reduce.getValues().size();
    for (size_t i = 0; i != dense; ++i)
      shared.push_back(sumOf(values, i));
    for (size_t i = dense; i != values[0]->size(); i += 2)
      llvm::append_range(shared, sumOfRows(values, i));
  } else if (isa<AllGatherOp>(op)) {
    for (size_t i = 0; i != values[0]->size(); ++i)
      shared.push_back(gather(values, i));
  } else if (isa<ReduceScatterOp>(op)) {
    for (size_t i = 0; i != values[0]->size(); ++i)
      shared.push_back(sumOf(values, i));
  } else {
    int64_t root = collective.parts.begin()->second.root;
    for (auto &[rank, part] : collective.parts)
      if (part.root != root)
        return part.op->emitError("rank ")
               << rank << " broadcasts from " << part.root << ", rank "
               << collective.parts.begin()->first << " from " << root
               << "; from must be the same on every member";
    if (root < 0 || root >= int64_t(values.size()))
      return op->emitError("broadcasts from rank ")
             << root << " of " << values.size();
    shared = *values[root];
  }
  int64_t doneAt = collectiveDone(world, channel, collective);
  for (size_t i = 0; i != present.size(); ++i) {
    Member &member = world.members[present[i]].edit();
    auto &futures = member.futures.edit();
    auto it = futures.find(collective.parts[present[i]].future);
    if (it == futures.end() || it->second.kind != Future::Kind::Collective ||
        it->second.number != collective.number)
      continue; // cancelled: its round runs again
    it->second.values = shared;
    if (isa<ReduceScatterOp>(op))
      for (Value &value : it->second.values)
        value = partOf(value, i, present.size());
    it->second.state = Future::State::Complete;
    it->second.doneAt = doneAt;
  }
  return success();
}

} // namespace rubato::interp
