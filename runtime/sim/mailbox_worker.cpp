// The workers' end of a mailbox: pulls, pushes and uploads on their way.
#include "sim/mailbox.h"

#include <algorithm>

namespace rubato::sim {

/// Ranks without the server's; -1 for the server.
int Mailbox::workerOf(int rank) const {
  return rank == serverRank ? -1 : rank - (rank > serverRank);
}

Status Mailbox::pull(Strand &strand, int64_t after, FutureHandle &future) {
  int worker = workerOf(strand.rank);
  if (worker < 0)
    return stage.error(strand, "pull",
                       "is for workers, and this is @" +
                           stage.channelName(channel) + "'s server");
  Future made;
  made.kind = Future::Kind::Pull;
  made.operation = "pull";
  made.rank = strand.rank;
  made.channel = channel;
  made.number = after;
  future = stage.futures.add(std::move(made));
  if (stage.opens(strand, Call::Pull)) {
    stage.log.text("channel", stage.channelName(channel));
    stage.log.number("after", after);
    stage.log.close();
  }
  workers[static_cast<size_t>(worker)].pulls.push_back(future);
  settlePulls(static_cast<size_t>(worker));
  return Status::ok();
}

int64_t Mailbox::arrival(const Worker &worker, int64_t ticket, int64_t bytes) {
  Passage passage = stage.costs.message(worker.rank, ticket, bytes);
  return stage.links.send(
      {serverRank, worker.rank, stage.schedule.now(), bytes, passage,
       passage.throughServer ? Message::Slow::Both : Message::Slow::Receiver});
}

/// Completes the pulls that a grant or the close answers.
void Mailbox::settlePulls(size_t index) {
  Worker &worker = workers[index];
  std::erase_if(worker.pulls, [&](FutureHandle handle) {
    Future *future = stage.futures.find(handle);
    if (!future)
      return true;
    int64_t now = stage.schedule.now();
    if (closed) {
      Futures::complete(*future, nullptr, arrival(worker, -1, 0),
                        stage.schedule);
      return true;
    }
    if (worker.ticket <= future->number)
      return false;
    future->ticket = worker.ticket;
    future->go = 1;
    Futures::complete(*future, worker.values, std::max(now, worker.at),
                      stage.schedule);
    return true;
  });
}

Status Mailbox::push(Strand &strand, int64_t ticket, Parts ins) {
  int worker = workerOf(strand.rank);
  if (worker < 0)
    return stage.error(strand, "push",
                       "is for workers, and this is @" +
                           stage.channelName(channel) + "'s server");
  Upload upload{worker, ticket, Payload(ins), strand.computed};
  int64_t bytes = upload.values.bytes();
  Passage passage = stage.costs.message(strand.rank, ticket, bytes);
  int64_t at = stage.links.send(
      {strand.rank, serverRank, stage.schedule.now(), bytes, passage,
       passage.throughServer ? Message::Slow::Both : Message::Slow::Sender});
  ++stage.counts(strand.rank).pushes;
  if (stage.opens(strand, Call::Push)) {
    stage.log.text("channel", stage.channelName(channel));
    stage.log.number("ticket", ticket);
    stage.log.close();
  }
  flying[parcels] = std::move(upload);
  stage.schedule.send(at, channel, worker, parcels++);
  return Status::ok();
}

void Mailbox::leave(int rank) {
  int index = workerOf(rank);
  if (index >= 0) {
    workers[static_cast<size_t>(index)].gone = true;
    ledger.died(index);
    changedAt = stage.schedule.now();
  }
  look();
}

std::string Mailbox::why(const Future &future) const {
  return "pull on @" + stage.channelName(channel) +
         " waits for a ticket after " + std::to_string(future.number) +
         " from " + stage.list({serverRank});
}

} // namespace rubato::sim
