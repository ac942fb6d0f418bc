// The shared-memory transport: the workers' end of a mailbox.
#include "fabric/shared_fabric.h"
#include "fabric/shared_mail.h"

#include <algorithm>

namespace rubato {

using namespace shared;

Status SharedFabric::push(int rank, int channel, int64_t ticket, Parts ins) {
  CallId call{Kind::Push, rank, channel, ticket, -1};
  Shape shape = shapeOf(ins);
  RB_TRY(checkCall(call, shape.bytes()));
  RB_TRY(checkEnd(call, false));
  RB_TRY(checkAlive(call));
  int worker = workerOf(channel, rank);
  WorkerWords &words = end(channel, worker);
  if (mailbox(channel).closed.load()) {
    words.replaced.fetch_add(1);
    return Status::ok();
  }
  int &buffer = state(rank, channel).uploadBuffer;
  CargoWords &cargo = upload(channel, worker, buffer);
  int server = specs[size_t(channel)].server;
  LargeParts large(ins);
  Spread at = lend(call, large, {&server, 1});
  cargo.at = spread(call, ins, large, at, uploadData(channel, worker, buffer));
  cargo.ticket = ticket;
  cargo.shape = shape;
  cargo.arrives.store(links.send(rank, server, steadyNow(), shape.bytes()));
  int64_t stamp = mailbox(channel).stamps.fetch_add(1) + 1;
  Latest before =
      Latest::of(words.latest.exchange(Latest{stamp, true, buffer}.word()));
  buffer = before.buffer;
  if (before.fresh) { // only the newest of a worker can count
    words.replaced.fetch_add(1);
    giveBack(server, upload(channel, worker, buffer).at);
  }
  ring(member(server).bell);
  return Status::ok();
}

Status SharedFabric::startPull(int rank, int channel, int64_t after,
                               int64_t &future) {
  // Tickets count from 1, so before the first there is none to be newer than.
  after = std::max<int64_t>(after, 0);
  CallId call{Kind::Pull, rank, channel, after, -1};
  RB_TRY(checkCall(call, 0));
  RB_TRY(checkEnd(call, false));
  RB_TRY(checkAlive(call));
  bool closed = mailbox(channel).closed.load() != 0;
  future = addFuture({0, call, {}, steadyNow(), closed, false});
  return Status::ok();
}

/// Calls `use(ticket, snapshot)` while the server cannot take the snapshot
/// away; false without a newer ticket than the pull's.
template <typename Use>
bool SharedFabric::withMail(const Future &future, Use use) {
  const CallId &call = future.call;
  WorkerWords &words = end(call.channel, workerOf(call.channel, call.rank));
  for (;;) {
    uint64_t seen = words.mail.load();
    Mail mail = Mail::of(seen);
    if (future.tooLate || mail.ticket <= call.number)
      return false;
    // If the mail is still the same after this, the server sees it before it
    // looks for a snapshot to reuse and lets go of its blocks.
    words.reading.store(uint32_t(mail.snapshot + 1));
    if (words.mail.load() == seen) {
      use(mail.ticket, mail.snapshot);
      words.reading.store(0);
      return true;
    }
    words.reading.store(0);
  }
}

void SharedFabric::lookAtPull(const Future &future, Standing &standing) {
  const CallId &call = future.call;
  int server = specs[size_t(call.channel)].server;
  Life its = life(server);
  bool closed = mailbox(call.channel).closed.load() != 0;
  if (withMail(future, [&](int64_t, int) {
        standing.ready = true;
        standing.readyAt =
            end(call.channel, workerOf(call.channel, call.rank)).arrives.load();
      }))
    return;
  if (closed)
    standing.ready = true;
  else if (its != Life::Alive)
    standing.failure =
        its == Life::Lost ? gone(call, server) : left(call, server);
}

Status SharedFabric::takePull(const Future &future, Parts outs) {
  const CallId &call = future.call;
  RB_TRY(checkPullOuts(call, outs));
  Parts values = outs.first(outs.size() - 2);
  Shape shape = shapeOf(values), granted;
  bool fits = true;
  if (!withMail(future, [&](int64_t ticket, int index) {
        const CargoWords &cargo = grantCargo(call.channel, index);
        granted = cargo.shape;
        fits = granted == shape;
        if (!fits)
          return;
        LargeParts large(values);
        for (int i = 0; i < large.layout.count; ++i)
          bring(call, *large.parts[size_t(i)], i, cargo.at.large[size_t(i)]);
        unpackRest(cargo.at.rest, values, large);
        countCopy(call, 0, large.layout.rest.bytes());
        setTicket(outs, ticket, 1);
      }))
    clear(outs);
  return fits ? Status::ok() : wrongOuts(call, shape, granted);
}

} // namespace rubato
