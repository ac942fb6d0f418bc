// Mailboxes: many workers, one server, and its ledger of who holds which
// ticket. Only an upload with a worker's newest ticket counts.
#pragma once

#include "policy/staleness_ledger.h"
#include "sim/samples.h"
#include "sim/stage.h"

#include <map>
#include <optional>

namespace rubato::sim {

/// One mailbox channel.
class Mailbox {
public:
  Mailbox(Stage &stage, Samples &samples, int channel);

  // The workers' end.
  Status pull(Strand &strand, int64_t after, FutureHandle &future);
  Status push(Strand &strand, int64_t ticket, Parts ins);

  // The server's end. `collect` and `close` are more than one step.
  Status collect(Strand &strand, int64_t first, bool byStaleness, Parts outs,
                 int64_t &who);
  Status grant(Strand &strand, bool toAll, int64_t staleAfter, Parts ins);
  Status close(Strand &strand);
  int64_t alive() const { return ledger.alive(); }

  /// An upload arrives at the server.
  void arrive(int64_t parcel);
  /// A member has ended.
  void leave(int rank);

  std::string why(const Future &future) const;
  int server() const { return serverRank; }
  int64_t restarts() const { return ledger.counters().restarts; }

private:
  using Ledger = policy::StalenessLedger;
  struct Upload {
    int worker = 0;
    int64_t ticket = 0;
    Payload values;
    int64_t work = 0; // time inside gradients that it took
  };
  struct Worker {
    int rank = 0;
    bool gone = false;
    /// The newest grant.
    int64_t ticket = -1, at = 0;
    SharedPayload values;
    std::vector<FutureHandle> pulls; // that wait
    std::optional<Payload> accepted;
    int64_t work = 0; // inside it
  };

  int workerOf(int rank) const;
  /// When a message to a worker, sent now, is there.
  int64_t arrival(const Worker &worker, int64_t ticket, int64_t bytes);
  bool canCollect(int64_t first) const;
  void look();
  void settlePulls(size_t worker);
  Status judge();
  Status sumOf(Strand &strand, const std::vector<Ledger::Upload> &uploads,
               bool byStaleness, Parts outs);

  Stage &stage;
  Samples &samples;
  int channel, serverRank;
  std::vector<Worker> workers; // by ascending rank
  Ledger ledger;
  bool closed = false;
  std::map<int64_t, Upload> flying; // by parcel
  int64_t parcels = 0;
  /// At the server until a collect looks at them.
  std::vector<Upload> held;
  int64_t changedAt = 0;

  /// A server that waits for uploads, or for workers to leave.
  Strand *waiter = nullptr;
  bool closing = false;
  int64_t wanted = 0;
};

} // namespace rubato::sim
