// Futures and mailboxes as the environment offers them.
#include "sim/collectives.h"
#include "sim/decisions.h"
#include "sim/environment.h"
#include "sim/mailbox.h"
#include "sim/meetings.h"
#include "sim/pairs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

namespace rubato::sim {

//===----------------------------------------------------------------------===//
// Futures
//===----------------------------------------------------------------------===//

Status SimEnvironment::start(const Caller &who, const CollectiveStart &call,
                             FutureHandle &future) {
  Strand &strand = strandOf(who);
  RB_TRY(visible(strand));
  RB_TRY(collectives->post(strand, call, future));
  // Who dealt the rows must know that they are in a reduction.
  if (samples->acknowledge(who.rank, call.channel))
    decisions->contributed(who.rank);
  return Status::ok();
}

Status SimEnvironment::exchange(const Caller &who, const ExchangeStart &call,
                                FutureHandle &future) {
  Strand &strand = strandOf(who);
  RB_TRY(visible(strand));
  return pairs->exchange(strand, call, future);
}

Status SimEnvironment::poll(Strand &strand, FutureHandle handle) {
  Schedule &schedule = stage->schedule;
  Future *future = stage->futures.find(handle);
  // Only the arrival of a newer model makes work void.
  if (!setup.costs->restartsAtOnce() || !future ||
      future->kind != Future::Kind::Pull)
    return schedule.step(strand, strand.readyAt, /*poll=*/true);
  int64_t end = strand.readyAt;
  if (future->complete)
    strand.readyAt = std::min(end, std::max(future->doneAt, schedule.now()));
  else
    future->voids = &strand;
  Status status = schedule.step(strand, strand.readyAt, /*poll=*/true);
  if (future = stage->futures.find(handle); future)
    future->voids = nullptr;
  if (int64_t cut = end - strand.readyAt; cut > 0) {
    strand.aborted = true;
    strand.computed -= cut;
    stage->counts(strand.rank).computing -= cut;
  }
  return status;
}

bool SimEnvironment::done(const Caller &who, FutureHandle handle) {
  Strand &strand = strandOf(who);
  strand.polled = handle;
  // When the run is given up, nobody shall poll for ever.
  if (!poll(strand, handle))
    return true;
  Future *future = stage->futures.find(handle);
  if (!future)
    return true; // zeros, or awaited already: so it was done
  future->seen |= future->complete && future->doneAt <= stage->schedule.now();
  return future->seen;
}

/// Brings what a future holds to where the program wants it.
static Status deliver(const Future *future, Parts outs) {
  bool isPull = future && future->kind == Future::Kind::Pull;
  if (!future || !future->values) {
    for (const Part &part : outs)
      bringZeros(part);
    return Status::ok();
  }
  if (!isPull)
    return future->values->copyTo(outs);
  // A pull has the ticket and whether to go on behind its values.
  size_t n = outs.size();
  if (n < 2 || outs[n - 2].dtype != RB_I64 || outs[n - 2].count != 1 ||
      outs[n - 1].dtype != RB_I64 || outs[n - 1].count != 1)
    return {ErrorCode::Internal, "a pull ends in a ticket and a flag"};
  *static_cast<int64_t *>(outs[n - 2].data) = future->ticket;
  *static_cast<int64_t *>(outs[n - 1].data) = future->go;
  return future->values->copyTo(outs.first(n - 2));
}

static int64_t partOf(int64_t time, double share) {
  return std::llround(static_cast<double>(time) * share);
}

/// Nobody else is asked. The strand's own clock is at the end of its work
/// already; this was there when its share of the work was done.
Status SimEnvironment::ready(const Caller &who, int channel, const Part &,
                             int64_t bytes, double done) {
  Strand &strand = strandOf(who);
  if (strand.early.channel != channel)
    strand.early = {channel, {}};
  int64_t left = partOf(strand.work, 1 - done);
  strand.early.marks.push_back({bytes, strand.readyAt - left});
  return Status::ok();
}

/// In the middle of a segment nobody else may run: scratch memory is
/// everybody's. Nobody notices either, so it is enough that the strand's own
/// clock goes on.
Status SimEnvironment::arrive(const Caller &who, FutureHandle handle,
                              int64_t bytes, double done, Lane *) {
  Strand &strand = strandOf(who);
  Future *future = stage->futures.find(handle);
  if (!future || future->rank != who.rank)
    return stage->error(strand, "arrive", "nothing is on its way");
  // What remains of the work comes behind it.
  int64_t end = timeOf(future->arrives, bytes) + partOf(strand.work, 1 - done);
  strand.waited += std::max<int64_t>(end - strand.readyAt, 0);
  strand.readyAt = std::max(strand.readyAt, end);
  if (future->arrives.empty() || bytes >= future->arrives.back().bytes)
    stage->futures.erase(handle);
  return Status::ok();
}

Status SimEnvironment::await(const Caller &who, FutureHandle handle, Parts outs,
                             int64_t first) {
  Strand &strand = strandOf(who);
  if (strand.locks)
    RB_TRY(visible(strand));
  Future *future = handle ? stage->futures.find(handle) : nullptr;
  if (future)
    future->first = first;
  if (handle && (!future || future->rank != who.rank))
    return stage->error(strand, "await",
                        "the future is awaited twice, or not this member's");
  if (!future || future->complete) {
    int64_t at = future ? future->wantedAt() : 0;
    RB_TRY(stage->schedule.step(strand, std::max(strand.readyAt, at)));
  } else {
    future->waiter = &strand;
    RB_TRY(stage->wait(strand, "await", [this, handle]() -> std::string {
      const Future &waited = *stage->futures.find(handle);
      switch (waited.kind) {
      case Future::Kind::Collective:
        return collectives->why(waited);
      case Future::Kind::Exchange:
        return pairs->why(waited);
      case Future::Kind::Pull:
        return mailboxes[static_cast<size_t>(waited.channel)]->why(waited);
      }
      return "";
    }));
  }
  future = stage->futures.find(handle);
  if (Status status = deliver(future, outs); !status)
    return stage->error(strand, "await", status.message());
  if (stage->opens(strand, Call::Await)) {
    EventLog &log = stage->log;
    log.text("of", future ? future->operation : "ready");
    log.scalars("scalars", outs);
    if (future) {
      log.number("done", future->doneAt);
      log.text("channel", stage->channelName(future->channel));
      if (future->kind == Future::Kind::Collective)
        log.number("seq", future->number);
      if (future->kind == Future::Kind::Exchange) {
        log.number("peer", future->peer);
        log.number("tag", future->number);
      }
      if (future->kind == Future::Kind::Pull) {
        log.number("ticket", future->ticket);
        log.truth("go", future->go);
      }
    }
    log.close();
  }
  if (future && future->kind == Future::Kind::Exchange)
    ++stage->counts(who.rank).averagings;
  if (future && first < 0)
    stage->futures.erase(handle);
  return Status::ok();
}

void SimEnvironment::repeated(const Caller &who, int64_t count) {
  Strand &strand = strandOf(who);
  // No poll follows the last body, but it can be cut short as well. Where the
  // run is given up, the next call says so.
  FutureHandle polled = std::exchange(strand.polled, 0);
  if (polled && setup.costs->restartsAtOnce())
    (void)poll(strand, polled);
  ++stage->statistics.repeats[count];
  if (stage->opens(strand, Call::Repeated)) {
    stage->log.number("k", count);
    stage->log.close();
  }
}

//===----------------------------------------------------------------------===//
// Mailboxes
//===----------------------------------------------------------------------===//

Status SimEnvironment::boxOf(Strand &strand, const char *operation, int channel,
                             Mailbox *&box) {
  auto index = static_cast<size_t>(channel);
  if (index >= mailboxes.size() || !mailboxes[index])
    return stage->error(strand, operation,
                        "channel " + std::to_string(channel) +
                            " is no mailbox");
  box = mailboxes[index].get();
  return Status::ok();
}

Status SimEnvironment::pull(const Caller &who, int channel, int64_t after,
                            FutureHandle &future) {
  Strand &strand = strandOf(who);
  Mailbox *box = nullptr;
  RB_TRY(boxOf(strand, "pull", channel, box));
  RB_TRY(visible(strand));
  return box->pull(strand, after, future);
}

Status SimEnvironment::push(const Caller &who, int channel, int64_t ticket,
                            Parts ins) {
  Strand &strand = strandOf(who);
  Mailbox *box = nullptr;
  RB_TRY(boxOf(strand, "push", channel, box));
  RB_TRY(visible(strand));
  if (strand.aborted) // in its last step: there is nothing to send
    return Status::ok();
  return box->push(strand, ticket, ins);
}

Status SimEnvironment::collect(const Caller &who, int channel, int64_t first,
                               bool byStaleness, Parts outs,
                               int64_t &collected) {
  Strand &strand = strandOf(who);
  Mailbox *box = nullptr;
  RB_TRY(boxOf(strand, "collect", channel, box));
  return box->collect(strand, first, byStaleness, outs, collected);
}

int64_t SimEnvironment::setSize(const Caller &, int64_t set) {
  return std::popcount(static_cast<uint64_t>(set)); // bits, worker 0 lowest
}

Status SimEnvironment::grant(const Caller &who, int channel, bool toAll,
                             int64_t, int64_t staleAfter, Parts ins) {
  Strand &strand = strandOf(who);
  Mailbox *box = nullptr;
  RB_TRY(boxOf(strand, "grant", channel, box));
  RB_TRY(visible(strand));
  return box->grant(strand, toAll, staleAfter, ins);
}

Status SimEnvironment::close(const Caller &who, int channel) {
  Strand &strand = strandOf(who);
  Mailbox *box = nullptr;
  RB_TRY(boxOf(strand, "close", channel, box));
  RB_TRY(visible(strand));
  return box->close(strand);
}

int64_t SimEnvironment::workers(const Caller &who, int channel) {
  Strand &strand = strandOf(who);
  Mailbox *box = nullptr;
  // Nothing to say where the run is given up: the next call fails.
  if (!boxOf(strand, "workers", channel, box) || !visible(strand))
    return 0;
  return box->alive();
}

} // namespace rubato::sim
