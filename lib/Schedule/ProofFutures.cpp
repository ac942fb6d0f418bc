// What starts and awaits do: who holds which memory until when.
#include "ProofNumbers.h"
#include "ProofRules.h"

using namespace mlir;
using namespace rubato;
using Kind = Number::Kind;

/// Starts of a channel that may be under way, and results of it that may be
/// shown: see ChannelSpec::inFlight (runtime/fabric/fabric.h). Pairs talk about
/// one thing at a time; pulls are not counted.
static constexpr int64_t ringSize = 2;

static int64_t mostInFlight(Operation *start) {
  return isa<sched::StartOp>(start)      ? ringSize
         : isa<sched::ExchangeOp>(start) ? 1
                                         : INT64_MAX;
}

static std::string channelName(int64_t channel) {
  return "channel " + std::to_string(channel);
}

/// Whole values that the runtime reads from now on, for as long as it likes.
/// `startsOn` is the channel of an all-reduce, whose first operand may have
/// been said to be ready.
bool ProofRules::handOver(Operation *op, ArrayAttr ins, int64_t startsOn,
                          ProofState &state) {
  for (auto [i, typed] : llvm::enumerate(ins.getAsRange<Typed>())) {
    sched::RangeAttr range = typed.getRange();
    if (!isValue(range.getBuffer()))
      continue; // copied
    Holding &value = state.values[range.getBuffer().getValue().str()];
    if (i == 0 && isWhole(range) && value.readyFor >= 0 &&
        value.readyFor == startsOn)
      value.readyFor = -1;
    else if (value.readyFor >= 0)
      return isFree(op, range.getBuffer(), "hands over", state);
    value.ready = 0;
    if (!readValue(op, range, state))
      return false;
    if (isWhole(range)) {
      value.lock = -1; // of a cell there is a copy now
      value.share(op);
    }
  }
  return true;
}

/// Whoever posts number k + ring size has let go of result k.
bool ProofRules::fitsRing(Operation *op, int64_t channel,
                          const ProofState &state) {
  for (const auto &[name, value] : state.values)
    if (value.channel == channel && value.age + 1 >= ringSize)
      return refuse(op,
                    "needs the place of the result that @" + name +
                        " still shows: drop or renew @" + name + " first",
                    {{value.broughtBy, "brought here"}});
  return true;
}

bool ProofRules::start(Operation *op, int64_t channel, ArrayAttr ins,
                       ProofState &state) {
  auto collective = dyn_cast<sched::StartOp>(op);
  bool reduces =
      collective && collective.getKind() == sched::StartKind::AllReduce;
  for (const Flight &flight : state.flights)
    if (flight.channel == channel && flight.age + 1 >= mostInFlight(op))
      return refuse(op,
                    "is one more on " + channelName(channel) + " than the " +
                        Twine(mostInFlight(op)) +
                        " that can be under way: await the oldest first",
                    {{flight.start, "the oldest one starts here"}});
  if (collective && !fitsRing(op, channel, state))
    return false;
  if (!handOver(op, ins, reduces ? channel : -1, state))
    return false;
  for (const auto &[name, value] : state.values)
    if (collective && value.readyFor == channel)
      return refuse(op,
                    "is the next on " + channelName(channel) +
                        ", of which bytes of @" + name +
                        " are ready; it must take @" + name +
                        ", whole, as its first operand",
                    {{value.readyBy, "said to be final here"}});
  state.age(channel);
  Number future{Kind::Future, channel, 0};
  state.flights.insert(state.flights.begin(), {channel, 0, op});
  llvm::sort(state.flights, [](const Flight &a, const Flight &b) {
    return std::pair(a.channel, a.age) < std::pair(b.channel, b.age);
  });
  state.set(op->getResult(0), future);
  return true;
}

/// Values that are shown where they lie, to be read only.
bool ProofRules::bring(Operation *op, ArrayAttr outs, ProofState &state) {
  for (auto typed : outs.getAsRange<Typed>()) {
    sched::RangeAttr range = typed.getRange();
    if (!hostWrites(op, range, state))
      return false;
    if (isWhole(range))
      state.values[range.getBuffer().getValue().str()].share(op);
  }
  return true;
}

/// What arrives has the types of what was sent; a pull has those of a grant,
/// which another role makes.
bool ProofRules::checkTypes(sched::AwaitOp op, Operation *start) {
  ArrayAttr ins;
  if (auto collective = dyn_cast<sched::StartOp>(start))
    ins = collective.getIns();
  else if (auto exchange = dyn_cast<sched::ExchangeOp>(start))
    ins = exchange.getIns();
  else
    return true;
  auto same = [](Attribute a, Attribute b) {
    return cast<Typed>(a).getType() == cast<Typed>(b).getType() &&
           cast<Typed>(a).getSize() == cast<Typed>(b).getSize();
  };
  if (ins.size() == op.getOuts().size() &&
      llvm::all_of_zip(ins, op.getOuts(), same))
    return true;
  return refuse(op, "brings other types than were sent",
                {{start, "this future is what it awaits"}});
}

bool ProofRules::await(sched::AwaitOp op, ProofState &state) {
  Number future = numberOf(op.getFuture(), state);
  Flight *flight = state.flight(future);
  if (!flight && !future.is(0))
    return refuse(op, future.kind == Kind::Future
                          ? "awaits a future again: it has been awaited on "
                            "this path"
                          : "awaits what is no future of this strand");
  Operation *start = flight ? flight->start : nullptr;
  auto collective = dyn_cast_or_null<sched::StartOp>(start);
  if (start && !checkTypes(op, start))
    return false;
  for (const auto &[name, value] : state.values)
    if (isa_and_nonnull<sched::ExchangeOp>(start) &&
        !isFree(op, FlatSymbolRefAttr::get(op.getContext(), name),
                "can send its round back to its beginning with", state))
      return false; // the peer may be gone
  for (const auto &[name, value] : state.values)
    if (value.arrived >= 0 && collective && value.channel == future.value)
      return refuse(
          op, "comes before all of @" + name + " has arrived from its channel",
          {{value.awaitedBy, "awaited here, the first bytes only"}});
  if (!bring(op, op.getOuts(), state))
    return false;
  if (collective)
    for (auto typed : op.getOuts().getAsRange<Typed>())
      if (isWhole(typed.getRange())) {
        Holding &value = state.values[typed.getBuffer().getValue().str()];
        value.channel = future.value;
        value.age = future.age;
        value.broughtBy = op;
      }
  if (op.getFirst()) {
    auto sum = cast<Typed>(op.getOuts()[0]);
    Holding &value = state.values[sum.getBuffer().getValue().str()];
    value.arrived = int64_t(*op.getFirst());
    value.awaitedBy = op;
  }
  if (flight)
    state.land(future);
  return true;
}

/// What a strand carries is written last: a round that fails runs again from
/// what it finds there.
bool ProofRules::isClosed(Operation *op, ProofState &state) {
  auto write = dyn_cast<sched::WriteOp>(op);
  if (write && frames.contains(write.getRange().getBuffer().getAttr())) {
    if (!state.closedBy)
      state.closedBy = op;
    return false;
  }
  if (!state.closedBy || isa<sched::DropOp>(op))
    return false;
  refuse(op, "can fail behind what is carried was written: write it last",
         {{state.closedBy, "written here"}});
  return true;
}

bool ProofRules::writeFuture(sched::WriteOp op, ProofState &state) {
  Number &frame = state.frames[op.getRange().getBuffer().getValue().str()];
  if (Flight *flight = state.flight(frame))
    return refuse(op,
                  "overwrites the future in @" +
                      op.getRange().getBuffer().getValue() +
                      ", which nobody has awaited: await it first",
                  {{flight->start, "it starts here"}});
  frame = numberOf(op.getValue(), state);
  if (frame.kind == Kind::Future || frame.is(0))
    return true;
  return refuse(op, "carries as a future what is none of this strand");
}

bool ProofRules::checkHandles(Operation *at, const ProofState &state) {
  const Flight *lost = state.orphan();
  if (!lost)
    return true;
  return refuse(lost->start,
                "is neither awaited nor carried on every path: await its "
                "future, or write it to a frame",
                {{at, "here its handle is lost"}});
}

bool ProofRules::applyEnd(Operation *end, ProofState &state, bool last) {
  for (const auto &[name, value] : state.values) {
    FlatSymbolRefAttr buffer = FlatSymbolRefAttr::get(end->getContext(), name);
    if (!isFree(end, buffer, "ends with", state))
      return false;
  }
  if (!checkHandles(end, state))
    return false;
  state.closedBy = nullptr;
  if (!last || state.flights.empty())
    return true;
  return refuse(state.flights.front().start,
                "is carried, and nobody awaits it in the end",
                {{end, "the last program of the role ends here"}});
}
