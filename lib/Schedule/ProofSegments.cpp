// What a segment does to values. Operations that touch the same bytes are
// ordered as they stand, which sched-verify-segments has proved, so they are
// taken one after the other; what is ready is read for longer.
#include "ProofRules.h"
#include "SegmentValues.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace rubato;

bool ProofRules::launch(sched::RunOp run, sched::LaunchOp op,
                        ProofState &state) {
  for (auto range : op.getReads().getAsRange<sched::RangeAttr>())
    if (!readValue(op, range, state))
      return false;
  for (auto range : op.getWrites().getAsRange<sched::RangeAttr>()) {
    if (!isValue(range.getBuffer())) {
      if (!writesCell(op, range, state))
        return false;
      continue;
    }
    std::string name = range.getBuffer().getValue().str();
    Holding &value = state.values[name];
    if (!value.own)
      return refuse(op,
                    "writes @" + name +
                        (value.sharedBy ? ", whose memory others may hold"
                                        : ", which has no memory") +
                        ": renew @" + name + " before this run",
                    {{run, "run here"}, {value.sharedBy, "shared here"}});
    if (value.readyFor >= 0 && range.getOffset() < value.ready)
      return refuse(
          op,
          "writes bytes [" + Twine(range.getOffset()) + ", " +
              Twine(range.getOffset() + range.getSize()) + ") of @" + name +
              ", of which [0, " + Twine(value.ready) +
              ") are ready: nobody may until the reduction on channel " +
              Twine(value.readyFor) + " has started",
          {{run, "run here"}, {value.readyBy, "said to be final here"}});
  }
  return true;
}

bool ProofRules::ready(sched::RunOp run, sched::ReadyOp op, ProofState &state) {
  sched::RangeAttr operand = op.getOperandRange().getRange();
  std::string name = operand.getBuffer().getValue().str();
  int64_t channel = op.getChannel();
  if (!isWhole(operand))
    return refuse(op, "is about a part of @" + name +
                          "; the operand of a reduction is a whole value");
  if (!fitsRing(op, channel, state))
    return false;
  for (const auto &[other, value] : state.values)
    if (value.readyFor >= 0 && (value.readyFor == channel) != (other == name))
      return refuse(op,
                    "says that bytes of @" + name + " are final for channel " +
                        Twine(channel) + ", but those of @" + other +
                        " are for channel " + Twine(value.readyFor) +
                        ": start that first",
                    {{run, "run here"}, {value.readyBy, "said here"}});
  Holding &value = state.values[name];
  int64_t said = value.readyFor >= 0 ? value.ready : 0;
  if (int64_t(op.getFrom()) != said)
    return refuse(op,
                  "is about bytes from " + Twine(op.getFrom()) + " on; [0, " +
                      Twine(said) + ") of @" + name +
                      " were said so far, and they go in order",
                  {{run, "run here"}, {value.readyBy, "said here"}});
  if (!readValue(op,
                 sched::RangeAttr::get(op.getContext(), operand.getBuffer(),
                                       op.getFrom(), op.getTo() - op.getFrom()),
                 state))
    return false;
  value.readyFor = channel;
  value.ready = op.getTo();
  value.readyBy = op;
  return true;
}

bool ProofRules::arrive(sched::RunOp run, sched::ArriveOp op,
                        ProofState &state) {
  Typed part = op.getArriving();
  std::string name = part.getBuffer().getValue().str();
  Holding &value = state.values[name];
  if (value.arrived < 0)
    return refuse(op,
                  "brings a part of @" + name +
                      ", but no sched.await has left one out",
                  {{run, "run here"}, {value.filledBy, "it was filled here"}});
  if (part.getOffset() != value.arrived)
    return refuse(op,
                  "brings bytes from " + Twine(part.getOffset()) + " on of @" +
                      name + ", of which " + Twine(value.arrived) +
                      " are there; they arrive in order",
                  {{run, "run here"}, {value.awaitedBy, "awaited here"}});
  value.arrived += part.getSize();
  sched::BufferOp buffer = buffers.at(part.getBuffer().getAttr());
  if (value.arrived == int64_t(buffer.getBytes()))
    value.arrived = -1;
  return true;
}

bool ProofRules::run(sched::RunOp op, ProofState &state) {
  auto segment = symbols.lookup<sched::SegmentOp>(op.getSegment());
  auto bytesOf = [&](StringAttr name) -> std::optional<int64_t> {
    sched::BufferOp buffer = buffers.at(name);
    return buffer.isValue() ? std::optional<int64_t>(buffer.getBytes())
                            : std::nullopt;
  };
  // What it writes all of it need not hold anything.
  for (auto [buffer, keep] : writtenValues(segment, bytesOf)) {
    Holding &value = state.values[buffer.str()];
    if (keep && !value.filled)
      return refuse(
          op, "needs what @" + buffer.getValue() + " holds, which is nothing",
          {{value.filledBy, "what it held went here"}});
    value.filled = true;
    value.filledBy = op;
  }
  llvm::StringSet<> touched;
  for (Operation &each : *segment.getLine()) {
    bool fine = true;
    if (auto launched = dyn_cast<sched::LaunchOp>(each))
      fine = launch(op, launched, state);
    else if (auto final = dyn_cast<sched::ReadyOp>(each))
      fine = ready(op, final, state);
    else if (auto part = dyn_cast<sched::ArriveOp>(each))
      fine = arrive(op, part, state);
    if (!fine)
      return false;
    SmallVector<sched::Access> accesses;
    cast<sched::LaneOpInterface>(each).getAccesses(accesses);
    for (const sched::Access &access : accesses)
      touched.insert(access.range.getBuffer().getValue());
  }
  for (const auto &[name, value] : state.values)
    if (value.arrived >= 0 && touched.contains(name))
      return refuse(op,
                    "ends when only " + Twine(value.arrived) + " bytes of @" +
                        name +
                        " are there: all of it arrives in the first "
                        "segment that uses it",
                    {{value.awaitedBy, "awaited here, the first bytes only"}});
  return true;
}
