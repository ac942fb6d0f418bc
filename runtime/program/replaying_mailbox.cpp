#include "program/replaying_mailbox.h"

#include <bit>
#include <cstring>

namespace rubato {

ReplayedUpload::ReplayedUpload(Parts parts) : shape(shapeOf(parts)) {
  LargeParts large(parts);
  layout = large.layout;
  data.resize(static_cast<size_t>(layout.extent()));
  Spread at(layout, data.data());
  for (size_t i = 0; i != static_cast<size_t>(layout.count); ++i)
    std::memcpy(at.large[i], large.parts[i]->data,
                static_cast<size_t>(layout.large[i].bytes));
  packRest(parts, large, at.rest);
}

/// Hands the uploads of a known set to the ledger.
class ReplayedMailbox::Uploads final : public UploadSource {
public:
  Uploads(ReplayedMailbox &mailbox, int64_t who) : mailbox(mailbox), who(who) {}

  bool take(Upload &upload) override {
    if (who == 0)
      return false;
    int index = std::countr_zero(static_cast<uint64_t>(who));
    who &= who - 1;
    Worker &worker = mailbox.workers[static_cast<size_t>(index)];
    ReplayedUpload &message = worker.uploads.at(worker.ticket);
    upload = {index, worker.ticket, message.shape,
              Spread(message.layout, message.data.data())};
    return true;
  }

  void release(const Upload &upload) override {
    mailbox.workers[static_cast<size_t>(upload.worker)].uploads.erase(
        upload.ticket);
  }

private:
  ReplayedMailbox &mailbox;
  int64_t who; // those nobody looked at
};

ReplayedMailbox::ReplayedMailbox(int members, int server, int64_t exempt,
                                 int64_t ahead)
    : server(server), ledger(members - 1, exempt, ahead),
      workers(static_cast<size_t>(members - 1)) {}

void ReplayedMailbox::push(int rank, int64_t ticket, Parts ins) {
  // Whoever works under a newer ticket has nothing to wait for under an older.
  Worker &worker = workerOf(rank);
  worker.uploads.clear();
  worker.uploads.emplace(ticket, ins);
}

int ReplayedMailbox::missing(int64_t who) const {
  for (size_t i = 0; i < workers.size(); ++i)
    if ((who >> i & 1) && !workers[i].uploads.contains(workers[i].ticket))
      return static_cast<int>(i) + (static_cast<int>(i) >= server);
  return -1;
}

Status ReplayedMailbox::collect(int64_t who, int64_t first, bool byStaleness,
                                Parts outs) {
  Uploads uploads(*this, who);
  bool complete = false;
  RB_TRY(ledger.judge(uploads, first, complete));
  Collected collected;
  if (complete)
    RB_TRY(ledger.finish(uploads, byStaleness, outs, collected));
  if (collected.who == who)
    return Status::ok();
  return {ErrorCode::Internal,
          "the round does not close with the workers of the log"};
}

void ReplayedMailbox::grant(bool toAll, int64_t staleAfter, Parts ins) {
  auto message = std::make_shared<const ReplayedMessage>(ins);
  Uploads none(*this, 0);
  for (auto [index, ticket] : ledger.grant(none, toAll, staleAfter)) {
    Worker &worker = workers[static_cast<size_t>(index)];
    worker.ticket = ticket;
    worker.grants[ticket] = message;
  }
}

void ReplayedMailbox::close() {
  Uploads none(*this, 0);
  ledger.stop(none);
}

const ReplayedMessage *ReplayedMailbox::granted(int rank,
                                                int64_t ticket) const {
  const Worker &worker = workerOf(rank);
  auto found = worker.grants.find(ticket);
  return found == worker.grants.end() ? nullptr : found->second.get();
}

void ReplayedMailbox::pulled(int rank, int64_t ticket) {
  std::erase_if(workerOf(rank).grants,
                [&](const auto &each) { return each.first <= ticket; });
}

} // namespace rubato
