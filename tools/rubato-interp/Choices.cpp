// What may happen next: which strands can step, what the others wait for.
#include "tools/rubato-interp/Machine.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace rubato::gsync;

namespace rubato::interp {

/// "rank 1, rank 3" for those that are awaited.
static std::string list(ArrayRef<int> ranks, const World &world) {
  std::string text;
  for (int rank : ranks) {
    text += (text.empty() ? "rank " : ", rank ") + std::to_string(rank);
    if (world.members[rank]->phase == Phase::Ended)
      text += " (which has ended)";
  }
  return text;
}

bool Machine::isEnabled(const World &world, int rank, int index,
                        std::string *why) const {
  const Member &member = *world.members[rank];
  const Strand &strand = *member.strands[index];
  if (!member.alive || strand.status != Strand::Status::Running)
    return false;
  auto blocked = [&](const Twine &reason) {
    if (why)
      *why = reason.str();
    return false;
  };
  const Frame &frame = strand.frames.back();
  if (!frame.next) {
    auto repeat = cast<RepeatOp>(frame.block->getParentOp());
    if (!isSaturated(strand, frame, repeat))
      return true;
    auto it = member.futures->find(
        strand.slots[frame.base + program.slot(repeat.getUntil())].handleId());
    return it == member.futures->end() ||
           it->second.state != Future::State::Pending ||
           blocked("repeat goes on until its future is done, which is not "
                   "under way");
  }
  Operation *op = frame.next;
  auto get = [&](mlir::Value value) {
    return strand.slots[frame.base + program.slot(value)];
  };
  if (auto await = dyn_cast<AwaitOp>(op)) {
    Value handle = get(await.getFuture());
    if (!handle.isHandle())
      return true; // an error, which the step reports
    auto it = member.futures->find(handle.handleId());
    if (it == member.futures->end() ||
        it->second.state != Future::State::Pending)
      return true;
    const Future &future = it->second;
    std::string channel =
        ChannelOp(program.channels[future.channel].op).getSymName().str();
    if (future.kind == Future::Kind::Collective) {
      const auto &open = world.channels[future.channel]->collectives;
      auto collective = open.find(future.number);
      std::vector<int> missing;
      for (int other : live(world))
        if (collective == open.end() || !collective->second.parts.count(other))
          missing.push_back(other);
      return blocked("number " + Twine(future.number) + " on @" + channel +
                     " waits for " + list(missing, world));
    }
    if (future.kind == Future::Kind::Exchange)
      return blocked("exchange under tag " + Twine(future.number) + " on @" +
                     channel + " waits for " + list({int(future.peer)}, world));
    return blocked("pull on @" + channel + " waits for a ticket after " +
                   Twine(future.number) + " from " +
                   list({program.channels[future.channel].server}, world));
  }
  if (auto collect = dyn_cast<CollectOp>(op)) {
    const Mailbox &box =
        world.channels[program.index(collect.getChannel())]->mailbox;
    if (!get(collect.getFirst()).isKnown())
      return true; // an error, which the step reports
    int64_t first = get(collect.getFirst()).asInt();
    if (canCollect(box, first) ||
        (box.ledger.alive() == 0 && box.flying.empty()))
      return true;
    return blocked("collect waits for " + Twine(first) + " uploads, has " +
                   Twine(box.ledger.uploads().size()) + ", and " +
                   Twine(box.ledger.running()) + " workers compute");
  }
  switch (strand.wait) {
  case Wait::None:
    return true;
  case Wait::Close: {
    unsigned channel = program.index(cast<CloseOp>(op).getChannel());
    const Mailbox &box = world.channels[channel]->mailbox;
    std::vector<int> missing;
    for (size_t i = 0; i != box.gone.size(); ++i)
      if (!box.gone[i])
        missing.push_back(program.channels[channel].workers[i]);
    return missing.empty() ||
           blocked("close waits for " + list(missing, world) + " to leave");
  }
  case Wait::Ask:
    return strand.answer ||
           blocked("the policy has no answer to call " + Twine(strand.call));
  case Wait::Meet:
    return strand.answer || blocked("meet waits for the other strand");
  case Wait::Commit:
    return strand.answer || blocked("commit waits for the other members");
  }
  return true;
}

bool Machine::isPoll(const World &world, int rank, int index) const {
  const Strand &strand = *world.members[rank]->strands[index];
  return !strand.frames.back().next || isa<DoneOp>(strand.frames.back().next);
}

int64_t Machine::timeOf(const World &world, int rank, int index) const {
  const Member &member = *world.members[rank];
  const Strand &strand = *member.strands[index];
  int64_t time = strand.readyAt;
  const Frame &frame = strand.frames.back();
  if (!frame.next)
    return time;
  if (auto await = dyn_cast<AwaitOp>(frame.next)) {
    const Value &handle =
        strand.slots[frame.base + program.slot(await.getFuture())];
    auto it = member.futures->find(handle.isHandle() ? handle.handleId() : -1);
    if (it != member.futures->end())
      time = std::max(time, it->second.doneAt);
  } else if (isa<CollectOp>(frame.next) || strand.wait == Wait::Close) {
    unsigned channel = program.index(channelOf(frame.next).getValue());
    time = std::max(time, world.channels[channel]->mailbox.changedAt);
  }
  if (strand.answer)
    time = std::max(time, strand.answerAt);
  return time;
}

std::vector<Choice> Machine::choices(const World &world) const {
  std::vector<Choice> result;
  for (int rank = 0; rank != program.ranks; ++rank) {
    const Member &member = *world.members[rank];
    for (int i = 0, n = member.strands.size(); i != n; ++i) {
      if (!isEnabled(world, rank, i))
        continue;
      result.push_back({rank, i, 0});
      const Strand &strand = *member.strands[i];
      const Frame &frame = strand.frames.back();
      bool other = frame.next && isBranchOnOpaque(strand, frame.next);
      if (isPoll(world, rank, i) && !config.timed) {
        mlir::Value polled =
            frame.next ? cast<DoneOp>(frame.next).getFuture()
                       : cast<RepeatOp>(frame.block->getParentOp()).getUntil();
        auto it = member.futures->find(
            strand.slots[frame.base + program.slot(polled)].handleId());
        // What is complete may not have arrived yet.
        other = (frame.next ||
                 !isSaturated(strand, frame,
                              cast<RepeatOp>(frame.block->getParentOp()))) &&
                it != member.futures->end() && !it->second.seen &&
                it->second.kind != Future::Kind::Ready &&
                it->second.state != Future::State::Pending;
      }
      if (other)
        result.push_back({rank, i, 1});
    }
  }
  return result;
}

} // namespace rubato::interp
