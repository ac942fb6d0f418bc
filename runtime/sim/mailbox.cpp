// The server's end of a mailbox.
#include "sim/mailbox.h"

#include <algorithm>

namespace rubato::sim {

Mailbox::Mailbox(Stage &stage, Samples &samples, int channel)
    : stage(stage), samples(samples), channel(channel),
      serverRank(stage.spec.serverOf(
          stage.spec.channels[static_cast<size_t>(channel)], stage.members)),
      ledger(stage.members - 1,
             stage.spec.channels[static_cast<size_t>(channel)].exempt,
             stage.spec.channels[static_cast<size_t>(channel)].ahead) {
  for (int rank = 0; rank != stage.members; ++rank)
    if (rank != serverRank)
      workers.emplace_back().rank = rank;
}

bool Mailbox::canCollect(int64_t first) const {
  if (ledger.complete(first))
    return true;
  Ledger trial = ledger;
  for (const Upload &upload : held) {
    trial.push(upload.worker, upload.ticket);
    if (trial.complete(first))
      return true;
  }
  return false;
}

/// Whether the server can go on, after something has changed.
void Mailbox::look() {
  if (!waiter)
    return;
  bool ready =
      closing ? std::ranges::all_of(workers, &Worker::gone)
              : canCollect(wanted) || (ledger.alive() == 0 && flying.empty());
  if (!ready)
    return;
  Strand &strand = *std::exchange(waiter, nullptr);
  stage.schedule.wake(strand, std::max(strand.readyAt, changedAt));
}

void Mailbox::arrive(int64_t parcel) {
  auto it = flying.find(parcel);
  Upload upload = std::move(it->second);
  flying.erase(it);
  changedAt = stage.schedule.now();
  if (closed)
    ++stage.statistics.dropped;
  else
    held.push_back(std::move(upload));
  stage.statistics.longestQueue = std::max(stage.statistics.longestQueue,
                                           static_cast<int64_t>(held.size()));
  look();
}

/// What the ledger says to the first upload that nobody looked at yet.
Status Mailbox::judge() {
  Upload upload = std::move(held.front());
  held.erase(held.begin());
  Worker &worker = workers[static_cast<size_t>(upload.worker)];
  Ledger::Verdict verdict = ledger.push(upload.worker, upload.ticket);
  bool accepted = verdict == Ledger::Verdict::Accepted;
  const char *said = accepted ? "accepted"
                     : verdict == Ledger::Verdict::BeyondBound
                         ? "beyond the bound"
                         : "dropped";
  if (stage.opens(stage.schedule.now(), serverRank, 0,
                  stage.strand(serverRank, 0).round, Call::Upload)) {
    stage.log.number("worker", worker.rank);
    stage.log.number("ticket", upload.ticket);
    stage.log.text("verdict", said);
    if (accepted)
      stage.log.number("staleness", ledger.uploads().back().staleness);
    stage.log.close();
  }
  if (verdict == Ledger::Verdict::BeyondBound)
    return Status::user("rank " + std::to_string(worker.rank) +
                        ": an upload with the newest ticket is staler than the "
                        "bound; the program breaks it");
  if (!accepted) {
    ++stage.statistics.dropped;
    return Status::ok();
  }
  samples.accept(worker.rank, upload.ticket);
  worker.accepted = std::move(upload.values);
  worker.work = upload.work;
  return Status::ok();
}

Status Mailbox::sumOf(Strand &strand,
                      const std::vector<Ledger::Upload> &uploads,
                      bool byStaleness, Parts outs) {
  std::vector<const Payload *> all;
  for (const Ledger::Upload &upload : uploads) {
    Worker &worker = workers[static_cast<size_t>(upload.worker)];
    if (worker.accepted->slots() != slotsOf(outs))
      return stage.error(strand, "collect",
                         "gives " + shapeOf(slotsOf(outs)) + ", but rank " +
                             std::to_string(worker.rank) + " pushed " +
                             shapeOf(worker.accepted->slots()));
    if (byStaleness && !outs.empty())
      worker.accepted->scale(0,
                             1.0 / static_cast<double>(1 + upload.staleness));
    all.push_back(&*worker.accepted);
  }
  return Payload::sum(all).copyTo(outs);
}

Status Mailbox::collect(Strand &strand, int64_t first, bool byStaleness,
                        Parts outs, int64_t &who) {
  if (canCollect(first) || (ledger.alive() == 0 && flying.empty())) {
    RB_TRY(stage.schedule.step(strand, std::max(strand.readyAt, changedAt)));
  } else {
    waiter = &strand;
    wanted = first;
    closing = false;
    RB_TRY(stage.wait(strand, "collect", [this, first] {
      return "waits for " + std::to_string(first) + " uploads, has " +
             std::to_string(ledger.uploads().size()) + ", and " +
             std::to_string(ledger.running()) + " workers compute";
    }));
  }
  // One by one, so that a round closes with the very upload that completes it.
  while (!ledger.complete(first) && !held.empty())
    RB_TRY(judge());
  if (!ledger.complete(first))
    return stage.error(strand, "collect", "every worker is gone");
  std::vector<Ledger::Upload> uploads = ledger.close();
  who = 0;
  RB_TRY(sumOf(strand, uploads, byStaleness, outs));
  for (const Ledger::Upload &upload : uploads) {
    const Worker &worker = workers[static_cast<size_t>(upload.worker)];
    who |= int64_t{1} << upload.worker;
    ++stage.statistics.staleness[upload.staleness];
    ++stage.counts(worker.rank).accepted;
    stage.counts(worker.rank).useful += worker.work;
    samples.collect(worker.rank, upload.ticket);
  }
  for (Worker &worker : workers)
    worker.accepted.reset();
  if (stage.opens(strand, Call::Collect)) {
    stage.log.text("channel", stage.channelName(channel));
    stage.log.number("version", ledger.version());
    stage.log.openList("who");
    for (const Ledger::Upload &upload : uploads)
      stage.log.item(int64_t{workers[static_cast<size_t>(upload.worker)].rank});
    stage.log.closeList();
    stage.log.openList("staleness");
    for (const Ledger::Upload &upload : uploads)
      stage.log.item(upload.staleness);
    stage.log.closeList();
    stage.log.close();
  }
  return Status::ok();
}

Status Mailbox::grant(Strand &strand, bool toAll, int64_t staleAfter,
                      Parts ins) {
  auto values = std::make_shared<const Payload>(ins);
  std::vector<Ledger::Grant> grants =
      toAll ? ledger.start(staleAfter) : ledger.grant(staleAfter);
  for (const Ledger::Grant &each : grants) {
    Worker &worker = workers[static_cast<size_t>(each.worker)];
    worker.ticket = each.ticket;
    worker.at = arrival(worker, each.ticket, values->bytes());
    worker.values = values;
    samples.voidLeases(worker.rank, each.ticket);
  }
  stage.statistics.downloads += static_cast<int64_t>(grants.size());
  if (stage.opens(strand, Call::Grant)) {
    stage.log.text("channel", stage.channelName(channel));
    stage.log.number("version", ledger.version());
    stage.log.openList("to");
    for (const Ledger::Grant &each : grants)
      stage.log.item(int64_t{workers[static_cast<size_t>(each.worker)].rank});
    stage.log.closeList();
    stage.log.openList("tickets");
    for (const Ledger::Grant &each : grants)
      stage.log.item(each.ticket);
    stage.log.closeList();
    stage.log.close();
  }
  for (const Ledger::Grant &each : grants)
    settlePulls(static_cast<size_t>(each.worker));
  return Status::ok();
}

Status Mailbox::close(Strand &strand) {
  if (stage.opens(strand, Call::Close)) {
    stage.log.text("channel", stage.channelName(channel));
    stage.log.close();
  }
  closed = true;
  ledger.stop();
  stage.statistics.dropped += static_cast<int64_t>(held.size());
  held.clear();
  for (size_t i = 0; i != workers.size(); ++i) {
    workers[i].accepted.reset();
    samples.voidLeases(workers[i].rank, 0, /*all=*/true);
    settlePulls(i);
  }
  if (std::ranges::all_of(workers, &Worker::gone))
    return stage.schedule.step(strand, std::max(strand.readyAt, changedAt));
  waiter = &strand;
  closing = true;
  return stage.wait(strand, "close", [this] {
    std::vector<int> missing;
    for (const Worker &worker : workers)
      if (!worker.gone)
        missing.push_back(worker.rank);
    return "waits for " + stage.list(missing) + " to leave";
  });
}

} // namespace rubato::sim
