// gsync.repeat: when its next body may run, and what a poll answers.
#include "tools/rubato-interp/Machine.h"

using namespace mlir;
using namespace rubato::gsync;

namespace rubato::interp {

/// Body j (from 1) may run if j ≤ at_least, or if j ≤ at_most and the future
/// is not done when it is enqueued: once body j − 1 − ahead has completed, or
/// at the start. Decided is what `allowed` holds.
LogicalResult Machine::beginRepeat(Here &here, RepeatOp op) {
  for (mlir::Value bound : {op.getAtLeast(), op.getAtMost()})
    if (bound && here.get(bound, program).isOpaque())
      return error(here, op) << "the bounds of this repeat are data, which "
                                "this mode does not look at";
  if (op.getAhead() > 65536)
    return error(here, op) << "runs " << op.getAhead() << " bodies ahead; "
                           << "rubato-interp has at most 65536";
  Values arguments{Value::integer(op.getAtLeast().getType(), 0)};
  for (mlir::Value init : op.getInits())
    arguments.push_back(here.get(init, program));
  Strand &strand = here.strand();
  Block &block = op.getBody().front();
  Frame frame{&block, nullptr, strand.frames.back().base};
  // Also those that nobody reads: the results come from here.
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    strand.slots[frame.base + program.slot(argument)] = value;
  strand.frames.push_back(frame);
  return success();
}

/// The first and the last body that are decided about after `count` bodies.
static std::pair<int64_t, int64_t> decided(const Frame &frame, RepeatOp op) {
  int64_t last = frame.count + 1 + op.getAhead();
  return {frame.count == 0 ? 1 : last, last};
}

bool Machine::needsPoll(const Strand &strand, const Frame &frame,
                        RepeatOp op) const {
  if (!op.getUntil())
    return false;
  auto get = [&](mlir::Value value) {
    return strand.slots[frame.base + program.slot(value)].asInt();
  };
  int64_t least = get(op.getAtLeast());
  int64_t most = op.getAtMost() ? get(op.getAtMost()) : INT64_MAX;
  auto [first, last] = decided(frame, op);
  // Where only control matters, one body more than needed stands for all
  // larger counts but the largest.
  if (config.abstract && op.getAtMost() && frame.count > least + 1)
    return false;
  // Something above the minimum and below the maximum is still open.
  return last > least && std::max(first, least + 1) <= most &&
         frame.allowed + 1 >= first;
}

bool Machine::isSaturated(const Strand &strand, const Frame &frame,
                          RepeatOp op) const {
  return config.abstract && !op.getAtMost() &&
         frame.count >
             strand.slots[frame.base + program.slot(op.getAtLeast())].asInt();
}

LogicalResult Machine::decideRepeat(Here &here, std::optional<bool> done) {
  Frame frame = here.peek().frames.back();
  auto op = cast<RepeatOp>(frame.block->getParentOp());
  int64_t least = here.get(op.getAtLeast(), program).asInt();
  int64_t most =
      op.getAtMost() ? here.get(op.getAtMost(), program).asInt() : INT64_MAX;
  auto [first, last] = decided(frame, op);
  for (int64_t j = first; j <= last; ++j)
    if (j == frame.allowed + 1 &&
        (j <= least || (j <= most && !done.value_or(false))))
      frame.allowed = j;
  Strand &strand = here.strand();
  Block &block = *frame.block;
  if (frame.count < frame.allowed) {
    strand.slots[frame.base + program.slot(block.getArgument(0))] =
        Value::integer(block.getArgument(0).getType(), frame.count);
    frame.next = &block.front();
    strand.frames.back() = frame;
    return success();
  }
  Values results;
  for (BlockArgument argument : block.getArguments().drop_front()) {
    Value &slot = strand.slots[frame.base + program.slot(argument)];
    results.push_back(slot);
    slot = Value();
  }
  results.push_back(Value::integer(op.getCount().getType(), frame.count));
  strand.slots[frame.base + program.slot(block.getArgument(0))] = Value();
  strand.frames.pop_back();
  ++here.world.statistics.edit().repeats[frame.count];
  record(here, "repeat",
         [&](llvm::json::OStream &json) { json.attribute("k", frame.count); });
  finish(here, op, results);
  return success();
}

bool Machine::pollFuture(Here &here, int64_t id) {
  auto &futures = here.member().futures.edit();
  auto it = futures.find(id);
  if (it == futures.end())
    return true; // consumed, so it was done
  Future &future = it->second;
  bool complete = future.state != Future::State::Pending;
  bool done = future.seen ||
              (complete && (config.timed ? future.doneAt <= here.world.now
                                         : here.variant == 0));
  future.seen |= done;
  return done;
}

} // namespace rubato::interp
