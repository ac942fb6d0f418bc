// A real run: values on their way to others, and samples.
#include "fabric/message.h"
#include "program/real_environment.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <thread>

namespace rubato {

//===----------------------------------------------------------------------===//
// Futures
//===----------------------------------------------------------------------===//

Status RealEnvironment::start(const Caller &who, const CollectiveStart &call,
                              FutureHandle &future) {
  StrandState &strand = strandOf(who);
  bool broadcast = call.kind == Call::Broadcast;
  MemberState &member = memberOf(who);
  if (!broadcast && who.round >= 0 && member.guard->watches(call.channel)) {
    OpenFuture last = member.futures->newest(call.channel);
    bool arrived = last.handle == 0 || setup.fabric.done(who.rank, last.handle);
    RB_TRY(member.guard->starts(who, call.ins, strand.computed, arrived));
  }
  RB_TRY(waits(who, call.kind, call.channel, [&] {
    return broadcast ? setup.fabric.startBroadcast(who.rank, call.channel,
                                                   static_cast<int>(call.root),
                                                   call.ins, future)
                     : setup.fabric.startAllReduce(who.rank, call.channel,
                                                   call.ins, future);
  }));
  member.futures->add({future, call.kind, call.channel, -1, who.round});
  if (std::exchange(strand.dealt, false))
    setup.desk.contributed(who.rank);
  std::erase_if(strand.held,
                [&](const Held &held) { return held.channel == call.channel; });
  return Status::ok();
}

Status RealEnvironment::exchange(const Caller &who, const ExchangeStart &call,
                                 FutureHandle &future) {
  MemberStatistics &mine = statisticsOf(who);
  mine.exchanges += 1;
  if (mine.partner.exchange(call.peer) == call.peer)
    mine.repeated += 1;
  auto peer = static_cast<int>(call.peer);
  RB_TRY(noted(noteOf(who), Call::Exchange, call.channel, peer, who.round, [&] {
    return setup.fabric.startExchange(who.rank, call.channel, peer, call.tag,
                                      call.ins, future);
  }));
  memberOf(who).futures->add(
      {future, Call::Exchange, call.channel, peer, who.round});
  return Status::ok();
}

Status RealEnvironment::pull(const Caller &who, int channel, int64_t after,
                             FutureHandle &future) {
  // Tickets count from 1; whoever has none may say so by any other number.
  RB_TRY(waits(who, Call::Pull, channel, [&] {
    return setup.fabric.startPull(who.rank, channel,
                                  std::max<int64_t>(after, 0), future);
  }));
  memberOf(who).futures->add({future, Call::Pull, channel, -1, who.round});
  return Status::ok();
}

bool RealEnvironment::done(const Caller &who, FutureHandle future) {
  if (future == 0 || setup.fabric.done(who.rank, future))
    return true;
  // Whoever polls has more to compute. Where members share cores, the others
  // come first: they are what is waited for.
  if (crowded)
    std::this_thread::yield();
  return false;
}

/// A future has been awaited; in drain there are no rounds to count.
void RealEnvironment::countDelay(const Caller &who, const OpenFuture &future) {
  bool collective =
      future.what == Call::AllReduce || future.what == Call::Broadcast;
  if (!collective || who.round < 0 || future.round < 0)
    return;
  int64_t delay = std::min<int64_t>(who.round - future.round, maxDelay);
  statisticsOf(who).delays[std::max<int64_t>(delay, 0)] += 1;
}

Status RealEnvironment::ready(const Caller &who, int channel,
                              const Part &operand, int64_t bytes, double) {
  stretch(who);
  // It does not wait, but who finds the others gone here would have.
  return waits(who, Call::AllReduce, channel, [&] {
    return setup.fabric.ready(who.rank, channel, operand, bytes);
  });
}

Status RealEnvironment::arrive(const Caller &who, FutureHandle future,
                               int64_t bytes, double, Lane *lane) {
  return waits(who, Call::AllReduce, strandOf(who).arriving, [&] {
    return setup.fabric.arrive(who.rank, future, bytes, deadline(), lane);
  });
}

Status RealEnvironment::await(const Caller &who, FutureHandle future,
                              Parts outs, int64_t first) {
  if (future == 0) {
    clear(outs);
    return Status::ok();
  }
  StrandState &strand = strandOf(who);
  MemberState &member = memberOf(who);
  OpenFuture open = member.futures->find(future);
  bool guarded = open.what == Call::AllReduce && open.round >= 0 &&
                 member.guard->watches(open.channel);
  if (guarded)
    RB_TRY(
        member.guard->awaits(who, open, setup.fabric.done(who.rank, future)));
  Status status =
      noted(noteOf(who), open.what, open.channel, open.peer, who.round, [&] {
        return setup.fabric.awaitFirst(who.rank, future, outs, first,
                                       deadline());
      });
  if (isAgain(status)) {
    strand.cursor.endRound(false);
    strand.computed = 0;
    RB_TRY(giveBack(strand, INT64_MIN));
  }
  if (status && guarded)
    RB_TRY(member.guard->got(who, open, outs));
  countDelay(who, open);
  strand.arriving = open.channel;
  member.futures->erase(future);
  if (!status || open.what != Call::Pull || outs.size() < 2)
    return status;
  // A newer ticket: what was taken under an older one and not pushed is void.
  int64_t ticket = 0;
  RB_TRY(numberIn(outs[outs.size() - 2], ticket));
  return giveBack(strand, ticket);
}

void RealEnvironment::repeated(const Caller &, int64_t) {} // nobody asks

//===----------------------------------------------------------------------===//
// Mailboxes
//===----------------------------------------------------------------------===//

Status RealEnvironment::push(const Caller &who, int channel, int64_t ticket,
                             Parts ins) {
  RB_TRY(waits(who, Call::Push, channel, [&] {
    return setup.fabric.push(who.rank, channel, ticket, ins);
  }));
  std::erase_if(strandOf(who).held,
                [&](const Held &held) { return held.ticket == ticket; });
  return Status::ok();
}

Status RealEnvironment::collect(const Caller &who, int channel, int64_t first,
                                bool byStaleness, Parts outs,
                                int64_t &collected) {
  Collected result;
  RB_TRY(waits(who, Call::Collect, channel, [&] {
    return setup.fabric.collect(who.rank, channel, first, byStaleness, outs,
                                result, deadline());
  }));
  collected = result.who;
  for (size_t i = 0; i != result.ranks.size(); ++i) {
    auto age = std::min<int64_t>(result.staleness[i], maxStaleness - 1);
    statisticsOf(who).staleness[age] += 1;
    setup.statistics[result.ranks[i]].accepted += 1;
  }
  return Status::ok();
}

int64_t RealEnvironment::setSize(const Caller &, int64_t set) {
  return std::popcount(static_cast<uint64_t>(set)); // bits, worker 0 lowest
}

Status RealEnvironment::grant(const Caller &who, int channel, bool toAll,
                              int64_t, int64_t staleAfter, Parts ins) {
  Granted granted;
  return waits(who, Call::Grant, channel, [&] {
    return setup.fabric.grant(who.rank, channel, toAll, staleAfter, ins,
                              granted);
  });
}

Status RealEnvironment::close(const Caller &who, int channel) {
  Status status = waits(who, Call::Close, channel, [&] {
    return setup.fabric.close(who.rank, channel, deadline());
  });
  MailboxCounters counters = setup.fabric.counters(channel);
  statisticsOf(who).dropped += counters.dropped;
  statisticsOf(who).restarts += counters.restarts;
  return status;
}

int64_t RealEnvironment::workers(const Caller &who, int channel) {
  return setup.fabric.workers(who.rank, channel);
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

int64_t RealEnvironment::roundSamples(const Caller &who) {
  return strandOf(who).cursor.roundSamples();
}

int64_t RealEnvironment::dataSamples(const Caller &) {
  return setup.order.samples;
}

Status RealEnvironment::takeFromQueue(StrandState &strand,
                                      const BatchRequest &request,
                                      std::span<int64_t> rows, int64_t &count) {
  count = setup.queue->take(rows);
  Held held;
  held.channel = request.channel;
  held.ticket = request.keys.empty() ? -1 : request.keys[0];
  held.places.assign(rows.begin(), rows.begin() + count);
  strand.held.push_back(std::move(held));
  return Status::ok();
}

/// Leases below a ticket; INT64_MIN: all that the present round took.
Status RealEnvironment::giveBack(StrandState &strand, int64_t ticketsBelow) {
  bool round = ticketsBelow == INT64_MIN;
  for (Held &held : strand.held)
    if (round || (held.ticket >= 0 && held.ticket < ticketsBelow)) {
      RB_TRY(setup.queue->giveBack(held.places));
      held.places.clear();
    }
  std::erase_if(strand.held,
                [](const Held &held) { return held.places.empty(); });
  return Status::ok();
}

Status RealEnvironment::nextBatch(const Caller &who,
                                  const BatchRequest &request,
                                  std::span<int64_t> rows, int64_t &count) {
  StrandState &strand = strandOf(who);
  count = 0;
  switch (request.source) {
  case RB_BATCH_CURSOR:
    count = strand.cursor.take(rows);
    break;
  case RB_BATCH_QUEUE:
    RB_TRY(takeFromQueue(strand, request, rows, count));
    break;
  case RB_BATCH_KEYED:
    setup.order.draw(who.rank, request.keys, rows);
    count = static_cast<int64_t>(rows.size());
    return Status::ok();
  case RB_BATCH_RANGE: {
    int64_t from = request.keys[0], to = request.keys[1];
    auto most = static_cast<int64_t>(rows.size());
    if (from < 0 || to > from + most)
      return {ErrorCode::Internal,
              "rows " + std::to_string(from) + " to " + std::to_string(to) +
                  " are no quantum of " + std::to_string(most) + " samples"};
    count = std::max<int64_t>(to - from, 0);
    std::iota(rows.begin(), rows.begin() + count, from);
    strand.dealt = true;
    break;
  }
  case RB_BATCH_PEEK:
    count = setup.queue->peek(rows);
    break;
  case RB_BATCH_WHOLE:
    count = wholeBatch(request.keys[0], setup.order.samples, rows);
    return Status::ok();
  }
  setup.order.resolve(rows.first(static_cast<size_t>(count)));
  return Status::ok();
}

} // namespace rubato
