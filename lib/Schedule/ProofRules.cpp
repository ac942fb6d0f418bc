// What operations of the host do to values, and what they must find.
#include "ProofRules.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace rubato;

ProofRules::ProofRules(ModuleOp module)
    : symbols(module), buffers(collectBuffers(module)) {
  module.walk([&](sched::FrameOp frame) {
    frames.insert(frame.getBufferAttr().getAttr());
    if (frame.getKind() == sched::FrameKind::Future)
      futures.insert(frame.getBufferAttr().getAttr());
  });
}

bool ProofRules::refuse(Operation *op, const Twine &message,
                        ArrayRef<std::pair<Operation *, std::string>> notes) {
  if (!told.insert(op).second)
    return false;
  ProgramViolation violation{op, message.str()};
  for (const auto &[where, note] : notes)
    if (where)
      violation.notes.push_back({where, note});
  violations.push_back(std::move(violation));
  return false;
}

bool ProofRules::isFuture(FlatSymbolRefAttr buffer) const {
  return futures.contains(buffer.getAttr());
}

bool ProofRules::isValue(FlatSymbolRefAttr buffer) const {
  sched::BufferOp op = buffers.at(buffer.getAttr());
  return op.isValue();
}

bool ProofRules::isWhole(sched::RangeAttr range) const {
  sched::BufferOp op = buffers.at(range.getBuffer().getAttr());
  return op.isValue() && range.getOffset() == 0 &&
         range.getSize() == int64_t(op.getBytes());
}

bool ProofRules::readValue(Operation *op, sched::RangeAttr range,
                           ProofState &state) {
  if (!isValue(range.getBuffer()))
    return true;
  std::string name = range.getBuffer().getValue().str();
  const Holding &value = state.values[name];
  if (!value.filled)
    return refuse(op, "reads @" + name + ", which holds nothing",
                  {{value.filledBy, "what it held went here"}});
  int64_t end = range.getOffset() + range.getSize();
  if (value.arrived >= 0 && end > value.arrived)
    return refuse(op,
                  "reads bytes [" + Twine(range.getOffset()) + ", " +
                      Twine(end) + ") of @" + name + ", of which only " +
                      Twine(value.arrived) +
                      " are there: put a sched.arrive "
                      "in front of it",
                  {{value.awaitedBy, "awaited here, the first bytes only"}});
  return true;
}

/// Whether nothing is under way to or from a value: only then may its memory
/// be exchanged or overwritten from the host.
bool ProofRules::isFree(Operation *op, FlatSymbolRefAttr buffer, StringRef verb,
                        ProofState &state) {
  std::string name = buffer.getValue().str();
  const Holding &value = state.values[name];
  if (value.readyFor >= 0)
    return refuse(
        op,
        verb + " @" + name + ", whose first " + Twine(value.ready) +
            " bytes others may read: start the reduction on channel " +
            Twine(value.readyFor) + " first",
        {{value.readyBy, "said to be final here"}});
  if (value.arrived >= 0)
    return refuse(op,
                  verb + " @" + name + ", of which only " +
                      Twine(value.arrived) +
                      " bytes are there: let all of it arrive first",
                  {{value.awaitedBy, "awaited here, the first bytes only"}});
  return true;
}

bool ProofRules::renew(sched::RenewOp op, ProofState &state) {
  if (!isFree(op, op.getBufferAttr(), "renews", state))
    return false;
  Holding &value = state.values[op.getBuffer().str()];
  value.makeOwn();
  if (!op.getKeep()) {
    value.filled = false;
    value.filledBy = op;
  }
  return true;
}

bool ProofRules::drop(sched::DropOp op, ProofState &state) {
  if (!isFree(op, op.getBufferAttr(), "drops", state))
    return false;
  Holding &value = state.values[op.getBuffer().str()];
  value.letGo();
  value.filled = false;
  value.filledBy = op;
  return true;
}

bool ProofRules::look(sched::LookOp op, ProofState &state) {
  if (!isFree(op, op.getBufferAttr(), "shows a cell in", state))
    return false;
  sched::BufferOp cell = buffers.at(op.getFrom().getBuffer().getAttr());
  Holding &value = state.values[op.getBuffer().str()];
  value.letGo();
  value.share(op);
  value.filled = true;
  value.filledBy = op;
  value.lock = op.getLock();
  value.begin = cell.getStart() + op.getFrom().getOffset();
  value.end = value.begin + op.getFrom().getSize();
  return true;
}

bool ProofRules::copy(sched::CopyOp op, ProofState &state) {
  sched::RangeAttr from = op.getFrom(), to = op.getTo();
  if (!readValue(op, from, state))
    return false;
  if (!isWhole(from) || !isWhole(to) || from.getBuffer() == to.getBuffer())
    return hostWrites(op, to, state);
  // The same memory, from now on.
  if (!isFree(op, to.getBuffer(), "writes", state))
    return false;
  Holding &source = state.values[from.getBuffer().getValue().str()];
  source.share(op);
  Holding shared = source;
  shared.readyFor = -1; // of the source alone
  shared.ready = 0;
  shared.filledBy = op;
  state.values[to.getBuffer().getValue().str()] = shared;
  return true;
}

bool ProofRules::hostWrites(Operation *op, sched::RangeAttr range,
                            ProofState &state) {
  if (!isValue(range.getBuffer()))
    return writesCell(op, range, state);
  if (!isFree(op, range.getBuffer(), "writes", state))
    return false;
  Holding &value = state.values[range.getBuffer().getValue().str()];
  value.makeOwn();
  value.filled |= isWhole(range);
  value.filledBy = op;
  return true;
}

/// Whoever looks at a cell has a copy before the cell changes.
bool ProofRules::writesCell(Operation *op, sched::RangeAttr range,
                            const ProofState &state) {
  sched::BufferOp cell = buffers.at(range.getBuffer().getAttr());
  if (cell.getRegion() != sched::ArenaRegion::Private)
    return true;
  int64_t begin = cell.getStart() + range.getOffset();
  int64_t end = begin + range.getSize();
  for (const auto &[name, value] : state.values)
    if (value.lock >= 0 && value.begin < end && begin < value.end)
      return refuse(op,
                    "writes @" + range.getBuffer().getValue() + ", which @" +
                        name + " still shows: take lock " + Twine(value.lock) +
                        " for it, or drop @" + name + " first",
                    {{value.sharedBy, "shown here"}});
  return true;
}

bool ProofRules::apply(Operation *op, ProofState &state) {
  if (isClosed(op, state))
    return false;
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](sched::RenewOp op) { return renew(op, state); })
      .Case([&](sched::DropOp op) { return drop(op, state); })
      .Case([&](sched::LookOp op) { return look(op, state); })
      .Case([&](sched::CopyOp op) { return copy(op, state); })
      .Case([&](sched::ClearOp op) {
        return hostWrites(op, op.getRange(), state);
      })
      .Case([&](sched::WriteOp op) {
        return isFuture(op.getRange().getBuffer())
                   ? writeFuture(op, state)
                   : hostWrites(op, op.getRange(), state);
      })
      .Case([&](sched::ReadOp op) {
        if (isFuture(op.getRange().getBuffer()))
          state.set(op.getValue(),
                    state.frames[op.getRange().getBuffer().getValue().str()]);
        return readValue(op, op.getRange(), state);
      })
      .Case([&](sched::LockOp op) {
        // Whoever looks at one of its cells gets a copy.
        for (auto &[name, value] : state.values)
          if (op.getCells() && value.lock == int64_t(op.getLock()))
            value.makeOwn();
        return true;
      })
      .Case([&](sched::StartOp op) {
        return start(op, op.getChannel(), op.getIns(), state);
      })
      .Case([&](sched::ExchangeOp op) {
        return start(op, op.getChannel(), op.getIns(), state);
      })
      .Case([&](sched::PullOp op) {
        return start(op, op.getChannel(), ArrayAttr::get(op.getContext(), {}),
                     state);
      })
      .Case<sched::PushOp, sched::GrantOp>(
          [&](auto op) { return handOver(op, op.getIns(), -1, state); })
      .Case([&](sched::CollectOp op) { return bring(op, op.getOuts(), state); })
      .Case([&](sched::AwaitOp op) { return await(op, state); })
      .Case([&](sched::RunOp op) { return run(op, state); })
      .Default([](Operation *) { return true; });
}
