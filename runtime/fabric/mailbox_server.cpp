// Rounds of a mailbox: see mailbox_server.h.
#include "fabric/mailbox_server.h"

#include "policy/staleness_options.h"

#include <algorithm>

namespace rubato {

using Ledger = policy::StalenessLedger;

MailboxServer::MailboxServer(int workers, int64_t exempt)
    : ledger(workers, exempt), goneWorkers(size_t(workers), false) {}

void MailboxServer::gone(int worker) {
  if (goneWorkers[size_t(worker)])
    return;
  goneWorkers[size_t(worker)] = true;
  ledger.died(worker);
}

Status MailboxServer::judge(UploadSource &source, int64_t first,
                            bool &complete) {
  if (closing || isStopped)
    return {ErrorCode::Internal,
            isStopped ? "the channel is closed"
                      : "the collect before it was not followed by a grant"};
  // One by one, so that a round closes with the very upload that completes it.
  Upload upload;
  while (!(complete = ledger.complete(first)) && source.take(upload)) {
    Ledger::Verdict verdict = ledger.push(upload.worker, upload.ticket);
    if (verdict == Ledger::Verdict::Accepted) {
      kept.push_back(upload);
      continue;
    }
    source.release(upload);
    if (verdict == Ledger::Verdict::BeyondBound)
      return {ErrorCode::Internal,
              "an upload with the newest ticket is staler than the bound"};
  }
  if (complete || ledger.running() > 0)
    return Status::ok();
  if (ledger.alive() == 0)
    return {ErrorCode::Communication,
            "every worker is gone; their own logs say why"};
  return {ErrorCode::Internal, "no worker was granted anything"};
}

Status MailboxServer::finish(UploadSource &source, bool byStaleness, Parts outs,
                             Collected &collected) {
  std::vector<Ledger::Upload> uploads = ledger.close();
  closing = true;
  std::ranges::sort(kept, {}, &Upload::worker);
  collected = Collected();
  collected.version = ledger.version();
  std::vector<const char *> messages;
  Shape shape = shapeOf(outs);
  Status status;
  for (size_t i = 0; i < uploads.size(); ++i) {
    collected.who |= int64_t(1) << uploads[i].worker;
    collected.ranks.push_back(kept[i].worker);
    collected.staleness.push_back(uploads[i].staleness);
    ++staleness[uploads[i].staleness];
    if (status && !(kept[i].shape == shape))
      status = {ErrorCode::Internal, "asks for " + describe(shape) +
                                         ", but a worker pushed " +
                                         describe(kept[i].shape)};
    messages.push_back(kept[i].data);
  }
  if (status) {
    for (size_t i = 0; byStaleness && i < uploads.size(); ++i)
      if (uploads[i].staleness > 0)
        scaleFirst(outs, kept[i].data,
                   policy::stalenessWeight(uploads[i].staleness));
    sumInto(outs, messages);
  }
  releaseKept(source);
  return status;
}

void MailboxServer::releaseKept(UploadSource &source) {
  for (const Upload &upload : kept)
    source.release(upload);
  kept.clear();
}

std::vector<Ledger::Grant>
MailboxServer::grant(UploadSource &source, bool toAll, int64_t staleAfter) {
  if (isStopped)
    return {};
  closing = false;
  if (!toAll)
    return ledger.grant(staleAfter);
  releaseKept(source); // a round that never closed is forgotten
  return ledger.start(staleAfter);
}

void MailboxServer::stop(UploadSource &source) {
  isStopped = true;
  ledger.stop();
  releaseKept(source);
  // Each counts as dropped.
  Upload upload;
  while (source.take(upload)) {
    ledger.push(upload.worker, upload.ticket);
    source.release(upload);
  }
}

MailboxCounters MailboxServer::counters() const {
  MailboxCounters result;
  result.accepted = ledger.counters().accepted;
  result.dropped = ledger.counters().dropped;
  result.restarts = ledger.counters().restarts;
  result.staleness = staleness;
  for (size_t i = 0; i < goneWorkers.size(); ++i)
    result.acceptedPerWorker.push_back(ledger.accepted(int64_t(i)));
  return result;
}

} // namespace rubato
