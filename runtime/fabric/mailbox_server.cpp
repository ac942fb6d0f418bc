// Rounds of a mailbox: see mailbox_server.h.
#include "fabric/mailbox_server.h"

#include "fabric/reduce.h"
#include "policy/staleness_options.h"

#include <algorithm>
#include <utility>

namespace rubato {

using Ledger = policy::StalenessLedger;

MailboxServer::MailboxServer(int workers, int64_t exempt, int64_t ahead)
    : ledger(workers, exempt, ahead), goneWorkers(size_t(workers), false) {}

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
  std::vector<double> weights;
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
    weights.push_back(byStaleness && uploads[i].staleness > 0
                          ? policy::stalenessWeight(uploads[i].staleness)
                          : 1);
  }
  if (status)
    sumKept(source, weights, outs);
  releaseKept(source);
  return status;
}

/// The first part counts by the weights.
void MailboxServer::sumKept(UploadSource &source,
                            const std::vector<double> &weights, Parts outs) {
  LargeParts large(outs);
  const Layout &layout = large.layout;
  std::vector<Spread> messages;
  for (size_t i = 0; i < kept.size(); ++i) {
    messages.push_back(kept[i].at);
    if (weights[i] != 1)
      scaleFirst(outs, kept[i].at.rest, large, weights[i]);
  }
  std::vector<char> rest(size_t(layout.rest.bytes()));
  Spread sum;
  sum.rest = rest.data();
  for (size_t i = 0; i < size_t(layout.count); ++i) {
    const Part &out = *large.parts[i];
    bool weighted = &out == outs.data();
    if (out.block) {
      SharedBlock brought;
      if (kept.size() == 1 && !(weighted && weights[0] != 1))
        brought = source.bring(kept[0], int(i), bytesOf(out));
      *out.block = brought ? brought : source.room(bytesOf(out));
      if (brought)
        continue;
    }
    sum.large[i] = dataOf(out);
    if (!weighted)
      continue;
    std::vector<const char *> ins;
    for (const Spread &message : messages)
      ins.push_back(message.large[i]);
    sumWeighted(out.dtype, ins.data(), weights.data(), int(ins.size()),
                std::exchange(sum.large[i], nullptr), bytesOf(out));
  }
  sumSpread(layout, messages, sum, 0, layout.extent());
  unpackRest(rest.data(), outs, large);
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
