// The life of a member: init, rounds of its strands, drain, model.
#include "tools/rubato-interp/Machine.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace rubato::gsync;

namespace rubato::interp {

//===----------------------------------------------------------------------===//
// The beginning
//===----------------------------------------------------------------------===//

FailureOr<World> Machine::start() {
  World world;
  world.links.edit().resize(program.ranks);
  world.uplinks.edit().resize(config.costs.uplinks().size());
  world.statistics.edit().averagings.resize(program.ranks);
  world.statistics.edit().collectives.resize(program.ranks);
  world.statistics.edit().rerun.resize(program.ranks);
  for (int rank = 0; rank != program.ranks; ++rank) {
    Member member;
    member.strands.resize(program.roleOf(rank).strands.size() + 1);
    member.posted.resize(program.channels.size());
    member.votes.resize(program.groups.size());
    member.calls.resize(program.policies.size());
    member.meeting.resize(program.rendezvous.size(), -1);
    if (failed(startCells(member)))
      return failure();
    world.members.push_back(std::move(member));
  }
  for (ChannelInfo &channel : program.channels) {
    ChannelState state;
    state.mailbox.ledger = policy::StalenessLedger(
        int64_t(channel.workers.size()),
        int64_t(channel.op.getExempt().value_or(0)),
        channel.op.getAhead() ? int64_t(*channel.op.getAhead()) : -1);
    state.mailbox.gone.resize(channel.workers.size());
    state.mailbox.granted.resize(channel.workers.size());
    world.channels.push_back(std::move(state));
  }
  if (failed(makePolicies(world)))
    return failure();
  if (failed(leaveOut(world)))
    return failure();
  for (int rank : live(world))
    if (failed(beginPart(world, rank, Phase::Init)))
      return failure();
  return world;
}

void Machine::enter(Strand &strand, Region &region, const Values &arguments) {
  strand.frames.clear();
  strand.slots.assign(program.slotsOf(&region), Value());
  Block &block = region.front();
  strand.frames.push_back({&block, &block.front()});
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    if (!argument.use_empty())
      strand.slots[program.slot(argument)] = value;
  strand.wait = Wait::None;
  strand.answer.reset();
  strand.steps = strand.taken = 0;
  strand.status = Strand::Status::Running;
}

static constexpr int64_t kPartRound[] = {-1, 0, -2, 0, -3, 0};

LogicalResult Machine::beginPart(World &world, int rank, Phase phase) {
  Member &member = world.members[rank].edit();
  RoleInfo &role = program.roleOf(rank);
  unsigned part = role.strands.size();
  member.phase = phase;
  Region *region = nullptr;
  if (phase == Phase::Init && role.init)
    region = &role.init.getBody();
  if (phase == Phase::Drain && role.drain)
    region = &role.drain.getBody();
  if (phase == Phase::Model && role.model)
    region = &role.model.getBody();
  if (!region && phase == Phase::Init)
    return beginStrands(world, rank);
  if (!region)
    return endMember(world, rank, Phase::Ended);
  Values arguments;
  if (phase == Phase::Drain)
    for (unsigned i = 0; i != part; ++i)
      llvm::append_range(arguments, member.strands[i]->carried);
  // What was carried now belongs to this part.
  for (auto &[id, future] : member.futures.edit())
    future.strand = part;
  Strand &strand = member.strands[part].edit();
  strand.round = kPartRound[size_t(phase)];
  strand.carried = arguments;
  strand.readyAt = world.now;
  enter(strand, *region, arguments);
  roundOf(world, rank, part);
  Here here{world, rank, int(part)};
  return run(here);
}

LogicalResult Machine::beginStrands(World &world, int rank) {
  world.members[rank].edit().phase = Phase::Strands;
  for (unsigned i = 0, n = program.roleOf(rank).strands.size(); i != n; ++i)
    beginRound(world, rank, i);
  for (unsigned i = 0, n = program.roleOf(rank).strands.size(); i != n; ++i) {
    Here here{world, rank, int(i)};
    if (failed(run(here)))
      return failure();
  }
  return success();
}

void Machine::beginRound(World &world, int rank, int index) {
  Strand &strand = world.members[rank].edit().strands[index].edit();
  enter(strand, *program.roleOf(rank).region(index), strand.carried);
  strand.readyAt = std::max(strand.readyAt, world.now);
  roundOf(world, rank, index);
}

//===----------------------------------------------------------------------===//
// The end of rounds and parts
//===----------------------------------------------------------------------===//

LogicalResult Machine::checkFutures(Here &here, ArrayRef<Value> carried) {
  auto &futures = here.member().futures.edit();
  for (auto it = futures.begin(); it != futures.end();) {
    Future &future = it->second;
    if (future.strand != here.index) {
      ++it;
      continue;
    }
    bool isCarried = llvm::any_of(carried, [&](const Value &value) {
      return value.isHandle() && isa<FutureType>(value.type()) &&
             value.handleId() == it->first;
    });
    if (!isCarried && !future.consumed)
      return error(here, future.op)
             << "lost future: it is neither awaited nor carried over the "
                "boundary; await it on every path";
    if (isCarried && future.consumed)
      return error(here, future.op) << "future is carried after it was awaited";
    if (future.consumed)
      it = futures.erase(it);
    else
      ++it;
  }
  return success();
}

LogicalResult Machine::endRound(Here &here, bool go, Values carried) {
  record(here, "next", [&](llvm::json::OStream &json) {
    json.attribute("go", go);
    writeCells(here, json);
  });
  if (failed(checkFutures(here, carried)))
    return failure();
  settleRound(here.world, here.rank, here.index);
  Strand &strand = here.strand();
  strand.carried = std::move(carried);
  strand.attempts = 0;
  ++strand.round;
  if (go) {
    if (failed(admit(here.world, here.rank)))
      return failure();
    beginRound(here.world, here.rank, here.index);
    return success();
  }
  strand.status = Strand::Status::Ended;
  strand.frames.clear();
  strand.slots.clear();
  return strandEnded(here.world, here.rank, here.index);
}

LogicalResult Machine::endPart(Here &here, Values values) {
  Phase phase = here.member().phase;
  if (failed(checkFutures(here, values)))
    return failure();
  settleRound(here.world, here.rank, here.index);
  Strand &strand = here.strand();
  strand.status = Strand::Status::Idle;
  strand.frames.clear();
  strand.slots.clear();
  if (phase == Phase::Model) {
    here.member().model = values.front();
    here.member().phase = Phase::Ended;
    return success();
  }
  if (phase == Phase::Drain) {
    record(here, "drained",
           [&](llvm::json::OStream &json) { writeCells(here, json); });
    return endMember(here.world, here.rank, Phase::Ended);
  }
  // Strand by strand, with the futures that they own from now on.
  Member &member = here.member();
  size_t next = 0;
  RoleInfo &role = program.roleOf(here.rank);
  for (unsigned i = 0; i != role.strands.size(); ++i) {
    Strand &each = member.strands[i].edit();
    each.readyAt = here.peek().readyAt;
    unsigned count = role.strands[i].getBody().getNumArguments();
    each.carried.assign(values.begin() + next, values.begin() + next + count);
    for (const Value &value : each.carried)
      if (value.isHandle() && isa<FutureType>(value.type()))
        member.futures.edit()[value.handleId()].strand = i;
    next += count;
  }
  return beginStrands(here.world, here.rank);
}

LogicalResult Machine::strandEnded(World &world, int rank, int index) {
  Member &member = world.members[rank].edit();
  unsigned count = program.roleOf(rank).strands.size();
  unsigned running = 0;
  bool failedOne = false;
  for (unsigned i = 0; i != count; ++i) {
    running += member.strands[i]->status == Strand::Status::Running;
    failedOne |= member.strands[i]->status == Strand::Status::Failed;
  }
  // Who waits for one that has ended waits no longer.
  for (auto [place, waiting] : llvm::enumerate(member.meeting)) {
    if (waiting < 0 || hasSibling(world, rank, waiting, place))
      continue;
    int strand = std::exchange(waiting, -1);
    if (failed(answer(
            world, rank, strand,
            {give(IntegerType::get(program.module.getContext(), 1), 0)}, 0)))
      return failure();
  }
  if (running)
    return success();
  if (failedOne || member.phase != Phase::Strands)
    return endMember(world, rank, Phase::Failed);
  return beginPart(world, rank, Phase::Drain);
}

LogicalResult Machine::endMember(World &world, int rank, Phase phase) {
  world.members[rank].edit().phase = phase;
  if (failed(leaveMailboxes(world, rank)))
    return failure();
  // A worker that had not noticed the end may have leased more meanwhile. What
  // was accepted stays: it may still be collected.
  voidLeases(world, rank, INT64_MAX - 1);
  if (phase != Phase::Failed)
    return success();
  // Nobody waits for one that has given up.
  if (failed(leavePolicies(world, rank)) || failed(settleVotes(world)))
    return failure();
  for (unsigned i = 0; i != program.channels.size(); ++i)
    if (failed(settleCollectives(world, i)))
      return failure();
  failExchanges(world, rank);
  return success();
}

LogicalResult Machine::startModel(World &world) {
  std::vector<int> ready;
  for (int rank : live(world))
    if (world.members[rank]->phase == Phase::Ended &&
        program.roleOf(rank).model) {
      // All at once: one may not wait for another that has not begun.
      world.members[rank].edit().phase = Phase::Model;
      ready.push_back(rank);
    }
  for (int rank : ready)
    if (failed(beginPart(world, rank, Phase::Model)))
      return failure();
  return success();
}

bool Machine::isOver(const World &world) const {
  return llvm::all_of(world.members, [](const Cow<Member> &member) {
    return !member->alive || member->phase == Phase::Ended ||
           member->phase == Phase::Failed;
  });
}

std::vector<int> Machine::live(const World &world) const {
  std::vector<int> result;
  for (int rank = 0; rank != program.ranks; ++rank)
    if (world.members[rank]->alive &&
        world.members[rank]->phase != Phase::Failed)
      result.push_back(rank);
  return result;
}

InFlightDiagnostic Machine::error(const Here &here, Operation *op) const {
  InFlightDiagnostic diagnostic = op->emitError();
  diagnostic << "rank " << here.rank << ", strand " << here.index << ", round "
             << here.peek().round << ": ";
  return diagnostic;
}

void Machine::writeCells(Here &here, llvm::json::OStream &json) const {
  if (!config.logCells)
    return;
  json.attributeObject("cells", [&] {
    for (size_t i = 0; i != program.cells.size(); ++i) {
      json.attributeBegin(CellOp(program.cells[i]).getSymName());
      writeValue(json, (*here.member().cells)[i]);
      json.attributeEnd();
    }
  });
}

void Machine::record(Here &here, StringRef op,
                     function_ref<void(llvm::json::OStream &)> details) {
  if (!config.abstract)
    ++here.world.statistics.edit().events[op];
  if (log)
    log->write(config.timed ? here.peek().readyAt : here.world.steps, here.rank,
               here.index, here.peek().round, op, details);
}

} // namespace rubato::interp
