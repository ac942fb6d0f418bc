#include "sim/collectives.h"

#include "support/marks.h"

#include <algorithm>
#include <utility>

namespace rubato::sim {

Collectives::Collectives(Stage &stage)
    : stage(stage), channels(stage.spec.channels.size()),
      posted(static_cast<size_t>(stage.members),
             std::vector<int64_t>(stage.spec.channels.size())) {}

Status Collectives::post(Strand &strand, const CollectiveStart &call,
                         FutureHandle &future) {
  auto channel = static_cast<size_t>(call.channel);
  auto rank = static_cast<size_t>(strand.rank);
  int64_t number = posted[rank][channel]++;
  Open &open = channels[channel][number];
  const char *name = callName(call.kind);
  // Only the root's values travel in a broadcast.
  Payload values = call.outs.empty()
                       ? Payload(call.ins, call.kind == Call::AllReduce ||
                                               call.root == strand.rank)
                       : Payload::shown(call.ins);
  if (open.joined == 0) {
    open.kind = call.kind;
    open.first = strand.rank;
    open.root = call.root;
    open.shares.resize(static_cast<size_t>(stage.members));
  } else {
    const Payload &first = open.shares[static_cast<size_t>(open.first)].values;
    if (open.kind != call.kind || first.slots() != values.slots())
      return stage.error(
          strand, name,
          std::string("is number ") + std::to_string(number) + " on @" +
              stage.channelName(call.channel) + " with " +
              shapeOf(values.slots()) + ", but rank " +
              std::to_string(open.first) + " has " + callName(open.kind) +
              " of " + shapeOf(first.slots()) +
              " there; all members must use a channel in one order");
    if (open.root != call.root)
      return stage.error(strand, name,
                         "from rank " + std::to_string(call.root) +
                             ", but rank " + std::to_string(open.first) +
                             " has it from " + std::to_string(open.root) +
                             "; it must be the same on every member");
  }
  if (call.kind == Call::Broadcast &&
      (call.root < 0 || call.root >= stage.members))
    return stage.error(strand, name,
                       "from rank " + std::to_string(call.root) + " of " +
                           std::to_string(stage.members));
  Future made;
  made.kind = Future::Kind::Collective;
  made.operation = name;
  made.rank = strand.rank;
  made.channel = call.channel;
  made.number = number;
  future = stage.futures.add(std::move(made));
  Marks marks;
  if (strand.early.channel == call.channel)
    marks = std::exchange(strand.early, {}).marks;
  if (!call.ins.empty())
    marks.push_back({bytesOf(call.ins[0]), stage.schedule.now()});
  open.shares[rank] = {true, std::move(values), future, call.outs,
                       std::move(marks)};
  ++stage.counts(strand.rank).collectives;
  if (stage.opens(strand, call.kind)) {
    stage.log.text("channel", stage.channelName(call.channel));
    stage.log.number("seq", number);
    stage.log.close();
  }
  if (++open.joined != stage.members)
    return Status::ok();
  complete(call.channel, number, open);
  channels[channel].erase(number);
  return Status::ok();
}

/// Whether two members have their results in the same memory.
static bool isSameMemory(Parts a, Parts b) {
  return std::ranges::equal(a, b, {}, &Part::data, &Part::data);
}

void Collectives::complete(int channel, int64_t number, const Open &open) {
  SharedPayload shared;
  if (open.kind == Call::AllReduce) {
    std::vector<const Payload *> all;
    // Where all share the memory of results, the sum is written there at once.
    Parts outs = open.shares[0].outs;
    for (const Open::Share &share : open.shares) {
      all.push_back(&share.values);
      if (!isSameMemory(outs, share.outs))
        outs = {};
    }
    shared = std::make_shared<Payload>(Payload::sum(all, outs));
  } else {
    shared = std::make_shared<Payload>(
        open.shares[static_cast<size_t>(open.root)].values);
  }
  // Buckets in order; a time that does not depend on bytes is divided by them.
  std::vector<Marks> marks;
  for (const Open::Share &share : open.shares)
    marks.push_back(share.marks);
  Marks arrives = together(marks);
  int64_t transfer =
      stage.costs.collective({channel, number, shared->bytes(), stage.members});
  int64_t all = shared->bytes(), before = 0, spent = 0;
  int64_t doneAt = stage.schedule.now();
  for (Mark &mark : arrives) {
    bool last = &mark == &arrives.back();
    auto share = static_cast<int64_t>(static_cast<double>(transfer) *
                                      static_cast<double>(mark.bytes - before) /
                                      static_cast<double>(all));
    doneAt = stage.links.together(mark.time, last ? transfer - spent : share);
    spent += share;
    before = mark.bytes;
    mark.time = doneAt;
  }
  if (arrives.empty())
    doneAt = stage.links.together(doneAt, transfer);
  for (const Open::Share &share : open.shares)
    if (Future *future = stage.futures.find(share.future)) {
      future->arrives = arrives;
      Futures::complete(*future, shared, doneAt, stage.schedule);
    }
}

std::string Collectives::why(const Future &future) const {
  const auto &open = channels[static_cast<size_t>(future.channel)];
  auto it = open.find(future.number);
  std::vector<int> missing;
  for (int rank = 0; rank != stage.members; ++rank)
    if (it == open.end() || !it->second.shares[static_cast<size_t>(rank)].here)
      missing.push_back(rank);
  return "number " + std::to_string(future.number) + " on @" +
         stage.channelName(future.channel) + " waits for " +
         stage.list(missing);
}

} // namespace rubato::sim
