// A replay: values on their way. They wait where they were sent until the one
// who was given them comes for them; sums are in the order of ranks.
#include "program/recording_environment.h"
#include "program/replaying_environment.h"

#include <bit>
#include <cstring>

namespace rubato {

FutureHandle ReplayingEnvironment::add(const Future &future) {
  futures.emplace(++lastFuture, future);
  return lastFuture;
}

Status ReplayingEnvironment::checkValues(const Caller &who, Call operation,
                                         Parts outs) {
  int64_t sum = 0;
  RB_TRY(checksumOf(outs, sum));
  if (strandOf(who).event.answered.back() == sum)
    return Status::ok();
  return left(who, describe(operation, strandOf(who).event.asked) +
                       " brings other values than in the recorded run");
}

static Status otherTypes() {
  return {ErrorCode::Internal, "values of other types were sent"};
}

//===----------------------------------------------------------------------===//
// Futures
//===----------------------------------------------------------------------===//

Status ReplayingEnvironment::start(const Caller &who,
                                   const CollectiveStart &call,
                                   FutureHandle &future) {
  if (call.kind == Call::Broadcast)
    RB_TRY(expect(who, call.kind, {call.channel, call.root}, 0));
  else
    RB_TRY(expect(who, call.kind, {call.channel}, 0));
  MemberState &member = crew[static_cast<size_t>(who.rank)];
  int64_t number = member.posted[static_cast<size_t>(call.channel)]++;
  Collective &open = collectives[{call.channel, number}];
  open.operation = call.kind;
  open.root = call.root;
  open.shares.resize(static_cast<size_t>(setup.members));
  open.shares[static_cast<size_t>(who.rank)] = ReplayedMessage(call.ins);
  ++open.joined;
  future = add({call.kind, call.channel, number, -1});
  return Status::ok();
}

Status ReplayingEnvironment::exchange(const Caller &who,
                                      const ExchangeStart &call,
                                      FutureHandle &future) {
  RB_TRY(expect(who, Call::Exchange, {call.channel, call.peer, call.tag}, 0));
  auto peer = static_cast<int>(call.peer);
  snapshots.emplace(PairKey{call.channel, who.rank, peer, call.tag},
                    ReplayedMessage(call.ins));
  future = add({Call::Exchange, call.channel, call.tag, peer});
  return Status::ok();
}

Status ReplayingEnvironment::pull(const Caller &who, int channel, int64_t after,
                                  FutureHandle &future) {
  RB_TRY(expect(who, Call::Pull, {channel, after}, 0));
  future = add({Call::Pull, channel, after, -1});
  return Status::ok();
}

bool ReplayingEnvironment::done(const Caller &who, FutureHandle) {
  return fact(who, Call::Done) != 0;
}

void ReplayingEnvironment::repeated(const Caller &who, int64_t count) {
  if (Status status = expect(who, Call::Repeated, {count}, 0); !status)
    strandOf(who).failure = std::move(status);
}

/// The sum is made of what members had when they started it.
Status ReplayingEnvironment::ready(const Caller &, int, const Part &, int64_t,
                                   double) {
  return Status::ok();
}

Status ReplayingEnvironment::arrive(const Caller &who, FutureHandle,
                                    int64_t bytes, double, Lane *) {
  const Part &sum = strandOf(who).arriving;
  if (bytes < bytesOf(sum))
    return Status::ok();
  RB_TRY(expect(who, Call::Arrive, {}, 1));
  return checkValues(who, Call::Arrive, {&sum, 1});
}

Status ReplayingEnvironment::await(const Caller &who, FutureHandle handle,
                                   Parts outs, int64_t first) {
  RB_TRY(expect(who, Call::Await, {}, 1));
  Future future;
  if (handle != 0) {
    auto found = futures.find(handle);
    if (found == futures.end())
      return left(who, "nobody knows the future that is awaited");
    future = found->second;
    futures.erase(found);
  }
  if (strandOf(who).event.answered[0] != 0)
    return again("the recorded run did this round again");
  if (handle == 0)
    clear(outs);
  else if (future.operation == Call::Exchange)
    RB_TRY(awaitExchange(who, future, outs));
  else if (future.operation == Call::Pull)
    RB_TRY(awaitPull(who, future, outs));
  else
    RB_TRY(awaitCollective(who, future, outs));
  // Of a sum that was used while it arrived the rest was looked at later.
  if (first >= 0 && handle != 0) {
    strandOf(who).arriving = outs[0];
    outs = outs.subspan(1);
  }
  return checkValues(who, Call::Await, outs);
}

Status ReplayingEnvironment::awaitCollective(const Caller &who,
                                             const Future &future, Parts outs) {
  Collective &open = collectives.at({future.channel, future.number});
  RB_TRY(setup.strands.waitUntil(
      [&] { return open.joined == setup.members; },
      [&] {
        return place(who) + ": collective " + std::to_string(future.number) +
               " of channel " + std::to_string(future.channel) + " has " +
               std::to_string(open.joined) + " of " +
               std::to_string(setup.members) + " members";
      }));
  Shape shape = shapeOf(outs);
  if (!open.summed) {
    std::vector<const char *> messages;
    for (size_t i = 0; i != open.shares.size(); ++i) {
      if (!(open.shares[i].shape == shape))
        return otherTypes().annotate(place(who));
      if (open.operation == Call::AllReduce ||
          static_cast<int64_t>(i) == open.root)
        messages.push_back(open.shares[i].data.data());
    }
    open.sum.resize(static_cast<size_t>(shape.bytes()));
    sumMessages(shape, messages, open.sum.data(), 0, shape.bytes());
    open.summed = true;
  }
  unpack(open.sum.data(), outs);
  if (++open.taken == setup.members)
    collectives.erase({future.channel, future.number});
  return Status::ok();
}

Status ReplayingEnvironment::awaitExchange(const Caller &who,
                                           const Future &future, Parts outs) {
  PairKey key{future.channel, future.peer, who.rank, future.number};
  RB_TRY(setup.strands.waitUntil([&] { return snapshots.contains(key); },
                                 [&] {
                                   return place(who) + ": exchange under tag " +
                                          std::to_string(future.number) +
                                          " with rank " +
                                          std::to_string(future.peer) +
                                          ", which has sent nothing";
                                 }));
  auto theirs = snapshots.find(key);
  if (!(theirs->second.shape == shapeOf(outs)))
    return otherTypes().annotate(place(who));
  unpack(theirs->second.data.data(), outs);
  snapshots.erase(theirs);
  return Status::ok();
}

Status ReplayingEnvironment::awaitPull(const Caller &who, const Future &future,
                                       Parts outs) {
  const std::vector<int64_t> &answered = strandOf(who).event.answered;
  if (answered.size() != 4 || outs.size() < 2)
    return left(who, "the log has no ticket for a pull");
  int64_t ticket = answered[1], go = answered[2];
  clear(outs);
  // A channel that was closed gave zeros.
  if (ticket == 0)
    return Status::ok();
  ReplayedMailbox &mailbox = mailboxes.at(future.channel);
  RB_TRY(setup.strands.waitUntil(
      [&] { return mailbox.granted(who.rank, ticket) != nullptr; },
      [&] {
        return place(who) + ": pull waits for ticket " +
               std::to_string(ticket) + ", which nobody granted";
      }));
  const ReplayedMessage &message = *mailbox.granted(who.rank, ticket);
  Parts values = outs.first(outs.size() - 2);
  if (!(message.shape == shapeOf(values)))
    return otherTypes().annotate(place(who));
  unpack(message.data.data(), values);
  std::memcpy(outs[outs.size() - 2].data, &ticket, sizeof ticket);
  std::memcpy(outs.back().data, &go, sizeof go);
  mailbox.pulled(who.rank, ticket);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Mailboxes
//===----------------------------------------------------------------------===//

Status ReplayingEnvironment::push(const Caller &who, int channel,
                                  int64_t ticket, Parts ins) {
  RB_TRY(expect(who, Call::Push, {channel, ticket}, 0));
  mailboxes.at(channel).push(who.rank, ticket, ins);
  return Status::ok();
}

Status ReplayingEnvironment::collect(const Caller &who, int channel,
                                     int64_t first, bool byStaleness,
                                     Parts outs, int64_t &collected) {
  RB_TRY(expect(who, Call::Collect, {channel, first, byStaleness}, 2));
  collected = strandOf(who).event.answered[0];
  ReplayedMailbox &mailbox = mailboxes.at(channel);
  int workers = setup.members - 1;
  if (collected == 0 ||
      (workers < 64 && static_cast<uint64_t>(collected) >> workers))
    return left(who, "the log has a collect from workers that are not there");
  RB_TRY(setup.strands.waitUntil(
      [&] { return mailbox.missing(collected) < 0; },
      [&] {
        return place(who) + ": collect waits for an upload of rank " +
               std::to_string(mailbox.missing(collected));
      }));
  if (Status status = mailbox.collect(collected, first, byStaleness, outs);
      !status)
    return left(who, "collect: " + status.message());
  return checkValues(who, Call::Collect, outs);
}

int64_t ReplayingEnvironment::setSize(const Caller &, int64_t set) {
  return std::popcount(static_cast<uint64_t>(set));
}

Status ReplayingEnvironment::grant(const Caller &who, int channel, bool toAll,
                                   int64_t to, int64_t staleAfter, Parts ins) {
  RB_TRY(expect(who, Call::Grant, {channel, toAll, to, staleAfter}, 0));
  mailboxes.at(channel).grant(toAll, staleAfter, ins);
  return Status::ok();
}

Status ReplayingEnvironment::close(const Caller &who, int channel) {
  RB_TRY(expect(who, Call::Close, {channel}, 0));
  mailboxes.at(channel).close();
  return Status::ok();
}

} // namespace rubato
