// One operation of gsync: cells, futures and small facts.
#include "policy/random.h"
#include "tools/rubato-interp/Machine.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace rubato::gsync;

namespace rubato::interp {

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

Value Machine::give(Type type, int64_t value) const {
  return Value::build<int64_t>(
      type, [&](MutableArrayRef<int64_t> out) { out[0] = value; });
}

Value Machine::zeroOf(Type type) const {
  if (config.abstract && elementOf(type) != Element::Integer)
    return Value::opaque(type);
  auto zero = Value::zero(type);
  return failed(zero) ? Value::opaque(type) : *zero;
}

Values Machine::operands(Here &here, ValueRange values) const {
  Values result;
  for (mlir::Value value : values)
    result.push_back(here.get(value, program));
  return result;
}

FailureOr<int64_t> Machine::numberOf(Here &here, Operation *op,
                                     mlir::Value value) const {
  const Value &number = here.get(value, program);
  if (number.isKnown())
    return number.asInt();
  return error(here, op) << "depends on data, which this mode does not look at";
}

LogicalResult Machine::answer(World &world, int rank, int index, Values values,
                              int64_t after) {
  Strand &strand = world.members[rank].edit().strands[index].edit();
  strand.answer = std::move(values);
  strand.answerAt = world.now + (config.timed ? after : 0);
  return success();
}

int64_t Machine::addFuture(Here &here, Future future) {
  auto &futures = here.member().futures.edit();
  // The smallest free number, so that equal states get equal numbers.
  int64_t id = 0;
  while (futures.count(id))
    ++id;
  future.strand = here.index;
  future.round = here.peek().round;
  futures[id] = std::move(future);
  return id;
}

int64_t Machine::latency(StringRef key, int rank, int64_t number) const {
  if (!config.timed)
    return 0;
  int64_t base = config.costs.of(key, rank);
  if (config.costs.jitter() == 0)
    return base;
  policy::CounterRandom random(config.seed, key.str(), {rank, number});
  double share = config.costs.jitter() * (2 * random.uniform() - 1);
  return base + int64_t(share * double(base));
}

void Machine::spend(Here &here, StringRef key) {
  if (!config.timed || config.costs.of(key, here.rank) == 0)
    return;
  Strand &strand = here.strand();
  // Strands of a member draw apart from one another.
  int64_t number = int64_t(strand.draws++) * 16 + here.index;
  // Far below the end of time, so that nothing overflows.
  strand.readyAt =
      std::min(strand.readyAt + latency(key, here.rank, number), INT64_MAX / 4);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

LogicalResult Machine::apply(World &world, Choice choice) {
  Here here{world, choice.rank, choice.strand, choice.variant};
  Strand &strand = here.strand();
  ++world.steps;
  ++strand.steps;
  strand.readyAt = std::max(strand.readyAt, world.now);
  Frame &frame = strand.frames.back();
  if (!frame.next) {
    auto repeat = cast<RepeatOp>(frame.block->getParentOp());
    const Value &future = here.get(repeat.getUntil(), program);
    if (failed(decideRepeat(here, pollFuture(here, future.handleId()))))
      return failure();
  } else if (isBranchOnOpaque(strand, frame.next)) {
    bool wait = false;
    if (failed(runOperation(here, frame.next, wait)))
      return failure();
  } else if (failed(visible(here, frame.next))) {
    return failure();
  }
  here.variant = 0;
  return run(here);
}

LogicalResult Machine::visible(Here &here, Operation *op) {
  bool wait = false;
  if (isa<NextOp>(op))
    return runTerminator(here, op, wait);
  if (isCollective(op))
    return post(here, op);
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](AwaitOp op) { return await(here, op); })
      .Case([&](AtomicOp op) { return beginAtomic(here, op); })
      .Case([&](MeetOp op) { return meet(here, op); })
      .Case([&](CommitOp op) { return commit(here, op); })
      .Case([&](ExchangeOp op) { return exchange(here, op); })
      .Case([&](PullOp op) { return pull(here, op); })
      .Case([&](PushOp op) { return push(here, op); })
      .Case([&](CollectOp op) { return collect(here, op); })
      .Case([&](GrantOp op) { return grant(here, op); })
      .Case([&](CloseOp op) { return close(here, op); })
      .Case([&](AskOp op) { return ask(here, op); })
      .Case([&](NextBatchOp op) { return nextBatch(here, op); })
      .Default([&](Operation *op) { return simple(here, op); });
}

LogicalResult Machine::simple(Here &here, Operation *op) {
  Values results;
  for (Type type : op->getResultTypes())
    results.push_back(Value::opaque(type));
  auto number = [&](int64_t value) {
    results[0] = give(op->getResult(0).getType(), value);
  };
  if (auto load = dyn_cast<LoadOp>(op)) {
    results[0] = (*here.member().cells)[program.index(load.getCell())];
  } else if (isa<ZeroOp>(op)) {
    results[0] = zeroOf(op->getResult(0).getType());
  } else if (auto ready = dyn_cast<ReadyOp>(op)) {
    Future future;
    future.state = Future::State::Complete;
    future.op = op;
    for (Type type : ready.getFuture().getType().getTypes())
      future.values.push_back(zeroOf(type));
    results[0] = Value::handle(ready.getFuture().getType(), 0,
                               addFuture(here, std::move(future)));
  } else if (auto done = dyn_cast<DoneOp>(op)) {
    bool answer =
        pollFuture(here, here.get(done.getFuture(), program).handleId());
    record(here, "done",
           [&](llvm::json::OStream &json) { json.attribute("done", answer); });
    number(answer);
  } else if (isa<NowOp>(op)) {
    int64_t time = config.timed ? here.peek().readyAt : here.world.steps;
    if (!config.abstract)
      results[0] = Value::real(op->getResult(0).getType(), double(time) * 1e-9);
  } else if (isa<ViewOp>(op)) {
    const std::vector<int> &members =
        roundOf(here.world, here.rank, here.index).members;
    number(members.size());
    results[1] = give(op->getResult(1).getType(),
                      llvm::find(members, here.rank) - members.begin());
  } else if (isa<QuantaOp>(op)) {
    number(config.quanta);
  } else if (isa<RoundSamplesOp>(op)) {
    number(roundOf(here.world, here.rank, here.index).total);
  } else if (isa<DataSamplesOp>(op)) {
    number(config.samples);
  } else if (isa<StopRequestedOp>(op)) {
    const Member &member = here.member();
    ++stopReads;
    number(member.stopRequested ||
           (config.rounds && member.strands[0]->round >= config.rounds - 1));
  } else if (auto size = dyn_cast<SizeOp>(op)) {
    number(llvm::popcount(
        uint64_t(here.get(size.getMembers(), program).handleId())));
  } else if (auto workers = dyn_cast<WorkersOp>(op)) {
    number(here.world.channels[program.index(workers.getChannel())]
               ->mailbox.ledger.alive());
  } else {
    return error(here, op) << "rubato-interp does not know '" << op->getName()
                           << "'";
  }
  finish(here, op, results);
  return success();
}

//===----------------------------------------------------------------------===//
// Futures and cells
//===----------------------------------------------------------------------===//

static bool isScalar(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return !tensor || tensor.getRank() == 0;
}

LogicalResult Machine::await(Here &here, AwaitOp op) {
  const Value &handle = here.get(op.getFuture(), program);
  if (!handle.isHandle())
    return error(here, op) << "which future it is depends on data, which this "
                              "mode does not look at";
  int64_t id = handle.handleId();
  auto &futures = here.member().futures.edit();
  auto it = futures.find(id);
  if (it == futures.end() || it->second.consumed)
    return error(here, op) << "future is awaited twice";
  Future &future = it->second;
  bool carried = future.round != here.peek().round;
  if (future.state == Future::State::Failed)
    return failRound(here,
                     future.kind == Future::Kind::Pull
                         ? "the server is gone"
                         : "rank " + std::to_string(future.peer) + " is gone",
                     future.kind == Future::Kind::Pull || carried);
  record(here, "await", [&](llvm::json::OStream &json) {
    json.attribute("of", future.op->getName().stripDialect());
    // Counts and losses, not whole gradients.
    json.attributeArray("scalars", [&] {
      for (const Value &value : future.values)
        if (!value.isHandle() && isScalar(value.type()))
          writeValue(json, value);
    });
    if (future.kind == Future::Kind::Ready)
      return;
    if (config.timed)
      json.attribute("done", future.doneAt);
    json.attribute("channel", program.channels[future.channel].op.getSymName());
    if (future.kind == Future::Kind::Collective)
      json.attribute("seq", future.number);
    if (future.kind == Future::Kind::Exchange) {
      json.attribute("peer", future.peer);
      json.attribute("tag", future.number);
    }
    if (future.kind == Future::Kind::Pull) {
      json.attribute("ticket", future.values.end()[-2].asInt());
      json.attribute("go", bool(future.values.back().asInt()));
    }
  });
  if (future.kind == Future::Kind::Exchange)
    ++here.world.statistics.edit().averagings[here.rank];
  future.consumed = true;
  Values values = future.values;
  finish(here, op, values);
  return success();
}

LogicalResult Machine::beginAtomic(Here &here, AtomicOp op) {
  Values values;
  for (auto name : op.getCells().getAsRange<FlatSymbolRefAttr>())
    values.push_back((*here.member().cells)[program.index(name.getValue())]);
  spend(here, "atomic");
  record(here, "atomic", [&](llvm::json::OStream &json) {
    json.attributeArray("cells", [&] {
      for (auto name : op.getCells().getAsRange<FlatSymbolRefAttr>())
        json.value(name.getValue());
    });
  });
  push(here, op.getBody().front(), values);
  return success();
}

} // namespace rubato::interp
