// How members exchange values: collectives, pairs and mailboxes, over one
// interface that every transport implements.
//
// Whatever starts something copies its operands and returns at once; `await`
// copies the results out. So a caller's memory is its own at all times, and a
// collective that is cut short by a death can be done again from the copies.
// Every wait ends by success, by its deadline, by the loss of a member that it
// waits for, or by abort().
#pragma once

#include "program/part.h"
#include "support/futex.h"
#include "support/status.h"

#include <memory>
#include <string>
#include <vector>

namespace rubato {

struct ChannelSpec {
  enum class Kind { Collective, Pair, Mailbox };
  std::string name;
  Kind kind = Kind::Collective;
  int64_t bytes = 0;  // of the largest message, all parts together
  int server = -1;    // rank of a mailbox's server; the others are its workers
  int64_t exempt = 0; // of a mailbox: see policy/staleness_ledger.h
};

/// What a collect took.
struct Collected {
  int64_t who = 0;                // workers, as bits
  std::vector<int> ranks;         // the same, as ranks, ascending
  std::vector<int64_t> staleness; // of each
  int64_t version = 0;            // after it
};

/// What a grant gave to whom.
struct Granted {
  int64_t version = 0;
  std::vector<int> ranks;
  std::vector<int64_t> tickets; // of each
};

/// One object for all members of a run. Processes make it before they fork.
/// Calls name the member that makes them. A member may call from several
/// threads, as long as a channel is used by one thread at a time.
class Fabric {
public:
  virtual ~Fabric() = default;

  virtual int members() const = 0;

  // Futures, numbered from 1 by each member.
  virtual Status startAllReduce(int rank, int channel, Parts ins,
                                int64_t &future) = 0;
  virtual Status startBroadcast(int rank, int channel, int root, Parts ins,
                                int64_t &future) = 0;
  virtual Status startExchange(int rank, int channel, int peer, int64_t tag,
                               Parts ins, int64_t &future) = 0;
  /// The parts of a pull are the granted ones, then the ticket (i64) and
  /// whether to go on (i64, 1 or 0); zeros once the channel is closed.
  virtual Status startPull(int rank, int channel, int64_t after,
                           int64_t &future) = 0;
  /// Never waits; a future that failed is done.
  virtual bool done(int rank, int64_t future) = 0;
  /// Waits, fills `outs`, forgets the future. An exchange whose peer is lost
  /// fails with isAgain() (program/environment.h); all else that fails, fails
  /// for good.
  virtual Status await(int rank, int64_t future, Parts outs,
                       Deadline deadline) = 0;

  // Mailboxes. push and grant never wait.
  virtual Status push(int rank, int channel, int64_t ticket, Parts ins) = 0;
  virtual Status collect(int rank, int channel, int64_t first, bool byStaleness,
                         Parts outs, Collected &collected,
                         Deadline deadline) = 0;
  /// `toAll` opens the ledger anew; otherwise the grant follows a collect.
  virtual Status grant(int rank, int channel, bool toAll, int64_t staleAfter,
                       Parts ins, Granted &granted) = 0;
  virtual int64_t workers(int rank, int channel) = 0; // alive
  virtual Status close(int rank, int channel, Deadline deadline) = 0;

  /// All members arrive.
  virtual Status barrier(int rank, Deadline deadline) = 0;

  /// This member has ended in good order: nobody waits for it any more.
  virtual void leave(int rank) noexcept = 0;
  /// From any thread or process: this member died.
  virtual void lost(int rank) noexcept = 0;
  /// From any thread or process: every wait ends with an error, at once.
  virtual void abort() noexcept = 0;
};

} // namespace rubato
