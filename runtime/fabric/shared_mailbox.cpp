// The shared-memory transport: the server's end of a mailbox.
//
// What was pushed is lent to the server where it lies, and given back when the
// upload was dropped or is in a sum. What is granted the server keeps as long
// as a worker may look for it; who pulls it sets the word of its blocks.
#include "fabric/shared_fabric.h"
#include "fabric/shared_mail.h"

#include <algorithm>
#include <utility>

namespace rubato {

using namespace shared;

/// The newest upload of every worker, seen from the server.
class SharedFabric::Uploads final : public UploadSource {
public:
  Uploads(SharedFabric &fabric, int rank, int channel)
      : fabric(fabric), rank(rank), channel(channel),
        spares(fabric.state(rank, channel).spares) {}

  bool take(Upload &taken) override {
    for (;;) {
      int worker = first();
      if (worker < 0)
        return false;
      // Gives the worker a buffer for it, unless a newer upload has come.
      int spare = spares[size_t(worker)].back();
      uint64_t seen = chosen;
      if (!fabric.end(channel, worker)
               .latest.compare_exchange_strong(seen,
                                               Latest{0, false, spare}.word()))
        continue;
      spares[size_t(worker)].pop_back();
      int buffer = Latest::of(chosen).buffer;
      const CargoWords &cargo = fabric.upload(channel, worker, buffer);
      taken = {worker, cargo.ticket, cargo.shape, cargo.at, buffer};
      return true;
    }
  }

  void release(const Upload &upload) override {
    fabric.giveBack(rank, upload.at);
    spares[size_t(upload.worker)].push_back(int(upload.number));
  }

  SharedBlock bring(Upload &upload, int index, int64_t bytes) override {
    char *&from = upload.at.large[size_t(index)];
    if (!fabric.pool->contains(from))
      return nullptr;
    return fabric.pool->borrow(rank, std::exchange(from, nullptr), bytes);
  }

  SharedBlock room(int64_t bytes) override {
    return fabric.pool->take(rank, bytes);
  }

  int64_t nextArrival = 0; // of one on its way; 0: none

private:
  /// The worker whose upload arrived first of those not looked at.
  int first() {
    int found = -1;
    int64_t stamp = 0, now = steadyNow();
    nextArrival = 0;
    for (int worker = 0; worker < fabric.workerCount(); ++worker) {
      uint64_t seen = fabric.end(channel, worker).latest.load();
      Latest latest = Latest::of(seen);
      if (!latest.fresh || (found >= 0 && latest.stamp > stamp))
        continue;
      int64_t arrives =
          fabric.upload(channel, worker, latest.buffer).arrives.load();
      if (arrives > now) {
        nextArrival = nextArrival ? std::min(nextArrival, arrives) : arrives;
        continue;
      }
      found = worker;
      stamp = latest.stamp;
      chosen = seen;
    }
    return found;
  }

  SharedFabric &fabric;
  int rank, channel;
  std::vector<std::vector<int>> &spares;
  uint64_t chosen = 0;
};

std::vector<int> SharedFabric::presentWorkers(int channel) {
  std::vector<int> present;
  for (int worker = 0; worker < workerCount(); ++worker)
    if (int rank = rankOf(channel, worker); life(rank) == Life::Alive)
      present.push_back(rank);
  return present;
}

int64_t SharedFabric::workers(int, int channel) {
  return int64_t(presentWorkers(channel).size());
}

Status SharedFabric::collect(int rank, int channel, int64_t first,
                             bool byStaleness, Parts outs, Collected &collected,
                             Deadline deadline) {
  CallId call{Kind::Collect, rank, channel, 0, -1};
  RB_TRY(checkCall(call, bytesOf(outs)));
  RB_TRY(checkEnd(call, true));
  MailboxServer &server = *state(rank, channel).server;
  Bell &bell = member(rank).bell;
  for (int turn = 0;; ++turn) {
    uint32_t seen = bell.rings.load();
    RB_TRY(checkAlive(call));
    for (int worker = 0; worker < workerCount(); ++worker)
      if (life(rankOf(channel, worker)) != Life::Alive)
        server.gone(worker);
    bool complete = false;
    Uploads uploads(*this, rank, channel);
    RB_TRY(server.judge(uploads, first, complete).annotate(name(call)));
    if (complete) {
      RB_TRY(server.finish(uploads, byStaleness, outs, collected)
                 .annotate(name(call)));
      for (int &each : collected.ranks)
        each = rankOf(channel, each);
      return Status::ok();
    }
    if (turn < spins)
      spinPause();
    else if (!sleep(bell, seen, deadline, uploads.nextArrival))
      return late(call, presentWorkers(channel));
  }
}

/// Lets go of what no worker will look for any more. A snapshot that is free;
/// there is always one.
int SharedFabric::endGrants(int rank, int channel) {
  std::vector<bool> used(size_t(grantCount()), false);
  for (int worker = 0; worker < workerCount(); ++worker) {
    if (life(rankOf(channel, worker)) != Life::Alive)
      continue;
    WorkerWords &words = end(channel, worker);
    if (Mail mail = Mail::of(words.mail.load()); mail.ticket > 0)
      used[size_t(mail.snapshot)] = true;
    if (uint32_t reading = words.reading.load())
      used[reading - 1] = true;
  }
  auto &granted = state(rank, channel).granted;
  for (size_t i = 0; i < granted.size(); ++i)
    for (SharedBlock &block : granted[i])
      if (block && !used[i])
        pool->keepWhileHeld(rank, std::move(block));
  // The lowest: what was never used takes no memory.
  return int(std::ranges::find(used, false) - used.begin());
}

Status SharedFabric::grant(int rank, int channel, bool toAll,
                           int64_t staleAfter, Parts ins, Granted &granted) {
  CallId call{Kind::Grant, rank, channel, 0, -1};
  Shape shape = shapeOf(ins);
  RB_TRY(checkCall(call, shape.bytes()));
  RB_TRY(checkEnd(call, true));
  RB_TRY(checkAlive(call));
  int index = endGrants(rank, channel);
  LargeParts large(ins);
  Spread at;
  for (size_t i = 0; i < size_t(large.layout.count); ++i) {
    const SharedBlock *block = mappedBlock(*large.parts[i]);
    bool own = block && pool->isOwn(rank, (*block)->data);
    SharedBlock &kept = state(rank, channel).granted[size_t(index)][i];
    kept = own ? *block : copyOf(call, *large.parts[i]);
    at.large[i] = kept ? kept->data : nullptr;
  }
  CargoWords &cargo = grantCargo(channel, index);
  cargo.at = spread(call, ins, large, at, grantData(channel, index));
  cargo.shape = shape;
  int64_t now = steadyNow();
  MailboxServer &server = *state(rank, channel).server;
  Uploads uploads(*this, rank, channel);
  granted = Granted();
  for (auto [worker, ticket] : server.grant(uploads, toAll, staleAfter)) {
    int to = rankOf(channel, int(worker));
    WorkerWords &words = end(channel, int(worker));
    words.arrives.store(links.send(rank, to, now, shape.bytes()));
    words.mail.store(Mail{ticket, index}.word());
    ring(member(to).bell);
    granted.ranks.push_back(to);
    granted.tickets.push_back(ticket);
  }
  granted.version = server.version();
  endGrants(rank, channel); // those that were replaced
  return Status::ok();
}

Status SharedFabric::close(int rank, int channel, Deadline deadline) {
  CallId call{Kind::Close, rank, channel, 0, -1};
  RB_TRY(checkCall(call, 0));
  RB_TRY(checkEnd(call, true));
  RB_TRY(checkAlive(call));
  mailbox(channel).closed.store(1);
  Uploads uploads(*this, rank, channel);
  state(rank, channel).server->stop(uploads);
  for (int worker = 0; worker < workerCount(); ++worker)
    ring(member(rankOf(channel, worker)).bell);
  Bell &bell = member(rank).bell;
  for (;;) {
    uint32_t seen = bell.rings.load();
    std::vector<int> present = presentWorkers(channel);
    if (present.empty())
      return Status::ok();
    RB_TRY(checkAlive(call));
    if (!sleep(bell, seen, deadline))
      return late(call, present);
  }
}

MailboxCounters SharedFabric::counters(int channel) {
  if (specs[size_t(channel)].kind != ChannelSpec::Kind::Mailbox)
    return {};
  MailboxCounters result =
      state(specs[size_t(channel)].server, channel).server->counters();
  bool closed = mailbox(channel).closed.load() != 0;
  for (int worker = 0; worker < workerCount(); ++worker) {
    WorkerWords &words = end(channel, worker);
    result.dropped += words.replaced.load();
    // Those that crossed the close on their way.
    result.dropped += closed && Latest::of(words.latest.load()).fresh;
  }
  return result;
}

} // namespace rubato
