// The reference transport: mailboxes.
#include "fabric/thread_fabric.h"

#include <algorithm>

namespace rubato {

/// Uploads that have arrived on a channel, seen from its server.
class ThreadFabric::Uploads final : public UploadSource {
public:
  explicit Uploads(Channel &channel) : channel(channel) {}

  bool take(Upload &upload) override {
    int64_t now = steadyNow();
    auto first = std::ranges::find_if(channel.arrived, [&](Arrived &each) {
      int64_t at = each.message->arrives;
      if (at > now && (nextArrival == 0 || at < nextArrival))
        nextArrival = at;
      return at <= now;
    });
    if (first == channel.arrived.end())
      return false;
    channel.taken.splice(channel.taken.end(), channel.arrived, first);
    upload = {first->worker, first->ticket, first->message->shape,
              first->message->at(), first->number};
    return true;
  }

  void release(const Upload &upload) override {
    channel.taken.erase(found(upload));
  }

  SharedBlock bring(Upload &upload, int index, int64_t) override {
    return found(upload)->message->large[size_t(index)];
  }

  int64_t nextArrival = 0; // of one on its way; 0: none

private:
  std::list<Arrived>::iterator found(const Upload &upload) {
    return std::ranges::find(channel.taken, upload.number, &Arrived::number);
  }

  Channel &channel;
};

Status ThreadFabric::push(int rank, int channel, int64_t ticket, Parts ins) {
  CallId call{Kind::Push, rank, channel, ticket, -1};
  RB_TRY(checkCall(call, bytesOf(ins)));
  RB_TRY(checkEnd(call, false));
  Lock lock(mutex);
  RB_TRY(checkAlive(call));
  Channel &box = channels[size_t(channel)];
  Arrived upload{workerOf(channel, rank), ticket, ++box.pushed, nullptr};
  // The newest of a worker is the only one that can count.
  box.replaced += int64_t(box.arrived.remove_if(
      [&](const Arrived &each) { return each.worker == upload.worker; }));
  if (box.closed) {
    ++box.replaced;
    return Status::ok();
  }
  upload.message = keep(call, ins);
  upload.message->arrives =
      links.send(rank, specs[size_t(channel)].server, upload.message->sent,
                 upload.message->shape.bytes());
  box.arrived.push_back(std::move(upload));
  changed.notify_all();
  return Status::ok();
}

Status ThreadFabric::startPull(int rank, int channel, int64_t after,
                               int64_t &future) {
  // Tickets count from 1, so before the first there is none to be newer than.
  after = std::max<int64_t>(after, 0);
  CallId call{Kind::Pull, rank, channel, after, -1};
  RB_TRY(checkCall(call, 0));
  RB_TRY(checkEnd(call, false));
  Lock lock(mutex);
  RB_TRY(checkAlive(call));
  bool closed = channels[size_t(channel)].closed;
  future = addFuture({call, {}, steadyNow(), after, closed, false});
  return Status::ok();
}

void ThreadFabric::lookAtPull(const Future &future, Standing &standing) {
  const CallId &call = future.call;
  const Channel &box = channels[size_t(call.channel)];
  int server = specs[size_t(call.channel)].server;
  const Mail &mail = box.mail[size_t(workerOf(call.channel, call.rank))];
  standing.missing = {server};
  if (!future.tooLate && mail.ticket > future.after) {
    standing.ready = true;
    standing.readyAt = mail.arrives;
    standing.kept = mail.message;
    standing.ticket = mail.ticket;
    standing.go = 1;
  } else if (box.closed) {
    standing.ready = true; // with zeros
  } else if (Life life = ranks[size_t(server)].life; life != Life::Alive) {
    standing.failure =
        life == Life::Lost ? gone(call, server) : left(call, server);
  }
}

Status ThreadFabric::takePull(const CallId &call, const Standing &standing,
                              Parts outs) {
  RB_TRY(checkPullOuts(call, outs));
  Parts values = outs.first(outs.size() - 2);
  if (!standing.kept) {
    clear(outs);
  } else if (Shape shape = shapeOf(values); !(shape == standing.kept->shape)) {
    return wrongOuts(call, shape, standing.kept->shape);
  } else {
    bring(call, *standing.kept, values);
    setTicket(outs, standing.ticket, standing.go);
  }
  return Status::ok();
}

Status ThreadFabric::collect(int rank, int channel, int64_t first,
                             bool byStaleness, Parts outs, Collected &collected,
                             Deadline deadline) {
  CallId call{Kind::Collect, rank, channel, 0, -1};
  RB_TRY(checkCall(call, bytesOf(outs)));
  RB_TRY(checkEnd(call, true));
  Lock lock(mutex);
  Channel &box = channels[size_t(channel)];
  for (;;) {
    RB_TRY(checkAlive(call));
    std::vector<int> present;
    for (int worker = 0; worker < workerCount(); ++worker)
      if (int each = rankOf(channel, worker);
          ranks[size_t(each)].life == Life::Alive)
        present.push_back(each);
      else
        box.server->gone(worker);
    bool complete = false;
    Uploads uploads(box);
    RB_TRY(box.server->judge(uploads, first, complete).annotate(name(call)));
    if (complete) {
      RB_TRY(box.server->finish(uploads, byStaleness, outs, collected)
                 .annotate(name(call)));
      for (int &each : collected.ranks)
        each = rankOf(channel, each);
      return Status::ok();
    }
    if (!sleep(lock, deadline, uploads.nextArrival))
      return late(call, present);
  }
}

Status ThreadFabric::grant(int rank, int channel, bool toAll,
                           int64_t staleAfter, Parts ins, Granted &granted) {
  CallId call{Kind::Grant, rank, channel, 0, -1};
  RB_TRY(checkCall(call, bytesOf(ins)));
  RB_TRY(checkEnd(call, true));
  Lock lock(mutex);
  RB_TRY(checkAlive(call));
  Channel &box = channels[size_t(channel)];
  auto message = keep(call, ins);
  Uploads uploads(box);
  granted = Granted();
  for (auto [worker, ticket] : box.server->grant(uploads, toAll, staleAfter)) {
    int to = rankOf(channel, int(worker));
    box.mail[size_t(worker)] = {
        ticket, message,
        links.send(rank, to, message->sent, message->shape.bytes())};
    granted.ranks.push_back(to);
    granted.tickets.push_back(ticket);
  }
  granted.version = box.server->version();
  changed.notify_all();
  return Status::ok();
}

int64_t ThreadFabric::workers(int, int channel) {
  Lock lock(mutex);
  int64_t count = 0;
  for (int worker = 0; worker < workerCount(); ++worker)
    count += ranks[size_t(rankOf(channel, worker))].life == Life::Alive;
  return count;
}

Status ThreadFabric::close(int rank, int channel, Deadline deadline) {
  CallId call{Kind::Close, rank, channel, 0, -1};
  RB_TRY(checkCall(call, 0));
  RB_TRY(checkEnd(call, true));
  Lock lock(mutex);
  Channel &box = channels[size_t(channel)];
  RB_TRY(checkAlive(call));
  box.closed = true;
  Uploads uploads(box);
  box.server->stop(uploads);
  box.replaced += int64_t(box.arrived.size()); // those still on their way
  box.arrived.clear();
  changed.notify_all();
  for (;;) {
    std::vector<int> present;
    for (int worker = 0; worker < workerCount(); ++worker)
      if (int each = rankOf(channel, worker);
          ranks[size_t(each)].life == Life::Alive)
        present.push_back(each);
    if (present.empty())
      return Status::ok();
    RB_TRY(checkAlive(call));
    if (!sleep(lock, deadline))
      return late(call, present);
  }
}

MailboxCounters ThreadFabric::counters(int channel) {
  Lock lock(mutex);
  Channel &box = channels[size_t(channel)];
  if (!box.server)
    return {};
  MailboxCounters counters = box.server->counters();
  counters.dropped += box.replaced;
  return counters;
}

} // namespace rubato
