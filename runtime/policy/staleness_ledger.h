// Who computes on which version of the model, and whose upload still counts.
//
// The server's end of a mailbox channel owns a ledger. Every model that is
// sent has a ticket; only an upload with the worker's newest ticket counts.
// So the bound on staleness holds whatever a worker does or fails to do.
//
//   Running --upload accepted--> Waiting --round closed, grant--> Running
#pragma once

#include "policy/policy.h"

#include <optional>

namespace rubato::policy {

class StalenessLedger {
public:
  enum class WorkerState : int64_t {
    Dead,
    Running, ///< owes an upload for its ticket
    Waiting  ///< waits for a model: its upload is in, or it has just joined
  };
  enum class Verdict {
    Accepted,
    Dropped,    ///< old ticket, nothing owed, or the run is over
    Hold,       ///< between close and grant: offer it again after the grant
    BeyondBound ///< dropped; cannot happen unless the ledger has a bug
  };
  struct Upload {
    int64_t worker = 0, ticket = 0, staleness = 0;
    bool operator==(const Upload &) const = default;
  };
  struct Grant {
    int64_t worker = 0, ticket = 0;
    bool operator==(const Grant &) const = default;
  };
  struct Counters {
    int64_t accepted = 0, dropped = 0, restarts = 0;
    bool operator==(const Counters &) const = default;
  };

  /// All of `workers` are alive. With `exempt` > 0 a worker that was restarted
  /// so many times in a row may finish, whatever the bound: then slow workers
  /// do not starve, but the bound is soft. With `ahead` >= 0 a worker whose
  /// clock, its accepted uploads, is more than that above the clock of the
  /// slowest one alive is held back: it gets its model when that is no longer
  /// so. The slowest itself never is, so somebody always computes.
  explicit StalenessLedger(int64_t workers, int64_t exempt = 0,
                           int64_t ahead = -1);

  /// Models for all alive, of the present version: at the start of a run and
  /// after a restore. Forgets an unfinished round.
  std::vector<Grant> start(int64_t bound);

  /// Judges an upload and, if accepted, enters it in the present round.
  Verdict push(int64_t worker, int64_t ticket);
  /// A lost worker. What it uploaded before stays valid.
  void died(int64_t worker);
  /// After a death between rounds' ends: new tickets for those who were held
  /// back for the dead; ascending.
  std::vector<Grant> release();
  /// A new or returning worker; ids grow by one at most. Its clock is that of
  /// the slowest. Without an answer it gets its model with the next grant, or
  /// the run is over.
  std::optional<Grant> join(int64_t worker);

  /// Whether the round can close: `count` accepted, or at least one and nobody
  /// running. So deaths never leave it waiting.
  bool complete(int64_t count) const;
  /// Ends the round and counts the version up. Answers by ascending worker.
  std::vector<Upload> close();
  /// After `close`: new tickets for those who wait, then for everybody who runs
  /// on a model older than the new bound allows; each by ascending worker.
  std::vector<Grant> grant(int64_t bound);
  /// From now on every upload is dropped. The uploads of an unfinished round
  /// are dropped too, or with `flush` stay for one more `close`.
  void stop(bool flush = false);

  int64_t version() const { return ver; }
  int64_t alive() const { return aliveCount; }
  int64_t running() const { return runningCount; }
  const std::vector<Upload> &uploads() const { return buffer; }
  const Counters &counters() const { return count; }
  WorkerState state(int64_t worker) const { return workers[worker].state; }
  int64_t ticket(int64_t worker) const { return workers[worker].ticket; }
  /// Versions published since the model that a worker runs on.
  int64_t staleness(int64_t worker) const {
    return ver - workers[worker].version;
  }
  /// Accepted uploads of one worker; zero for long means that it starves.
  int64_t accepted(int64_t worker) const { return workers[worker].accepted; }

  /// Uploads that count towards how far a worker is ahead.
  int64_t clock(int64_t worker) const { return workers[worker].clock; }

  void save(StateWriter &out) const;
  Status load(StateReader &in);

private:
  struct Worker {
    WorkerState state = WorkerState::Waiting;
    int64_t ticket = 0, version = 0;
    int64_t restartsInRow = 0, accepted = 0, clock = 0;
    bool operator==(const Worker &) const = default;
  };
  enum class Phase : int64_t { Open, Closing, Stopped };

  bool known(int64_t worker) const;
  bool uploaded(int64_t worker) const;
  bool isExempt(const Worker &worker) const;
  /// The smallest clock of those alive, but for one worker; none: `other`.
  int64_t slowest(int64_t but, int64_t other) const;
  bool isHeld(const Worker &worker) const;
  void setState(Worker &worker, WorkerState state);
  Grant issue(int64_t worker);

  int64_t exempt, ahead;
  int64_t ver = 0, limit = 0;
  int64_t aliveCount = 0, runningCount = 0;
  Phase phase = Phase::Open;
  std::vector<Worker> workers;
  std::vector<Upload> buffer; // in order of arrival
  Counters count;
};

} // namespace rubato::policy
