// The server's end of a mailbox, whatever carries the uploads: judges them by
// the ledger, closes rounds, adds what was accepted, and counts.
#pragma once

#include "fabric/fabric.h"
#include "fabric/message.h"
#include "policy/staleness_ledger.h"

namespace rubato {

/// An upload that has arrived. It stays as it is until it is released; its
/// large parts the worker may read, too.
struct Upload {
  int worker = 0; // index
  int64_t ticket = 0;
  Shape shape;
  Spread at;
  int64_t number = -1; // the transport's
};

/// Where uploads come from.
class UploadSource {
public:
  virtual ~UploadSource() = default;
  /// The first in order of arrival that nobody looked at; false: none.
  virtual bool take(Upload &upload) = 0;
  virtual void release(const Upload &upload) = 0;
  /// A large part as a value of the server's, which outlives the release; null:
  /// only a copy could.
  virtual SharedBlock bring(Upload &upload, int index, int64_t bytes) {
    return nullptr;
  }
  /// Memory for a value of the server's.
  virtual SharedBlock room(int64_t bytes) { return takeBlock(bytes); }
};

class MailboxServer {
public:
  MailboxServer(int workers, int64_t exempt, int64_t ahead);

  /// A worker died or left: nobody waits for it. Saying it again changes
  /// nothing.
  void gone(int worker);
  bool isGone(int worker) const { return goneWorkers[size_t(worker)]; }

  /// Judges uploads one by one until the round is complete or none is left.
  /// What fails is the error's text, without who and where.
  Status judge(UploadSource &source, int64_t first, bool &complete);

  /// Ends the round: the sum by ascending worker; of a single upload its own
  /// values, where they can be brought. Workers are indices in
  /// `collected.ranks`.
  Status finish(UploadSource &source, bool byStaleness, Parts outs,
                Collected &collected);

  /// New tickets. Workers are indices.
  std::vector<policy::StalenessLedger::Grant>
  grant(UploadSource &source, bool toAll, int64_t staleAfter);

  /// The run is over: drops what is there and all that comes.
  void stop(UploadSource &source);

  int64_t version() const { return ledger.version(); }
  MailboxCounters counters() const;

private:
  void sumKept(UploadSource &source, const std::vector<double> &weights,
               Parts outs);
  void releaseKept(UploadSource &source);

  policy::StalenessLedger ledger;
  std::vector<bool> goneWorkers;
  std::vector<Upload> kept; // accepted in this round
  std::map<int64_t, int64_t> staleness;
  bool closing = false, isStopped = false;
};

} // namespace rubato
