// How members exchange values: collectives, pairs and mailboxes, over one
// interface that every transport implements.
//
// Whatever starts something keeps its operands and returns at once; `await`
// brings the results. A part that is a block (Part::block) is kept and brought
// as one, without a copy; all else is copied, and counted. So a caller's memory
// is its own at all times, and a collective that is cut short by a death can be
// done again from what was kept.
// Every wait ends by success, by its deadline, by the loss of a member that it
// waits for, or by abort().
#pragma once

#include "support/futex.h"
#include "support/part.h"
#include "support/status.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rubato {

/// Most members of a fabric.
inline constexpr int maxMembers = 4096;

struct ChannelSpec {
  enum class Kind { Collective, Pair, Mailbox };
  std::string name;
  Kind kind = Kind::Collective;
  int64_t bytes = 0;  // of the largest message, all parts together
  int server = -1;    // rank of a mailbox's server; the others are its workers
  int64_t exempt = 0; // of a mailbox: see policy/staleness_ledger.h
  int64_t ahead = -1; // likewise
  bool unlimited = false; // collectives that no RateLimit slows down
  /// Collectives that a member may have started and not awaited.
  int inFlight = 2;
};

/// How many blocks of a size a member may need at once.
struct BlockDemand {
  int64_t bytes = 0;
  int count = 0;
  int rank = -1; // of the member; -1: every one
};

/// Bytes that a member has copied.
struct CopyCounters {
  int64_t values = 0;  // large parts of messages, in and out
  int64_t numbers = 0; // all other parts
  int64_t cells = 0;   // what other strands write, into values
};

/// Bytes of values that a member has added up for all.
struct SumCounters {
  int64_t bytes = 0;
  int64_t early = 0; // of them, before all members had started the reduction
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

/// What the server's end of a mailbox has seen so far.
struct MailboxCounters {
  int64_t accepted = 0, dropped = 0, restarts = 0;
  std::map<int64_t, int64_t> staleness;   // of collected uploads: how many
  std::vector<int64_t> acceptedPerWorker; // by ascending rank
};

/// How slow links are made, for tests and experiments. Every message occupies
/// the links of its members for its bytes over `bytesPerSecond` (0: no limit),
/// one after the other, and comes `latency` later (fabric/links.h).
struct RateLimit {
  double bytesPerSecond = 0;
  std::chrono::nanoseconds latency{0};
};

/// One object for all members of a run. Processes make it before they fork.
/// Calls name the member that makes them. A member may call from several
/// threads, as long as a channel is used by one thread at a time.
class Fabric {
public:
  virtual ~Fabric() = default;

  virtual int members() const = 0;

  /// Maps memory of values that all members can read. Before they fork.
  virtual Status mapBlocks(std::span<const BlockDemand> demands) {
    return Status::ok();
  }
  /// Where a member's values get their memory, so that nothing is copied.
  virtual BlockSource &blocks(int rank) = 0;
  virtual CopyCounters copied(int rank) = 0;
  /// Nobody can tell where the last one to come adds up.
  virtual SumCounters summed(int rank) { return {}; }

  /// The first `bytes` bytes of what will be the first operand of the member's
  /// next all-reduce on the channel are final, and stay where they are until it
  /// starts: others may begin to sum them. Only the start counts as a member's
  /// part in the reduction, whatever became of it before.
  virtual Status ready(int rank, int channel, const Part &operand,
                       int64_t bytes) = 0;

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
  Status await(int rank, int64_t future, Parts outs, Deadline deadline) {
    return awaitFirst(rank, future, outs, -1, deadline);
  }
  /// As await, but of an all-reduce that is brought as a block goes on once all
  /// have started it and the first `first` bytes of that are there, unless it
  /// is negative. The future stays until `arrive` has brought the rest.
  virtual Status awaitFirst(int rank, int64_t future, Parts outs, int64_t first,
                            Deadline deadline) = 0;
  /// Waits until the first `bytes` bytes of it are there. `lane`: of a value
  /// that lies on a device, the one that goes on then.
  virtual Status arrive(int rank, int64_t future, int64_t bytes,
                        Deadline deadline, Lane *lane = nullptr) = 0;

  /// Nobody will await this future: its round runs again. What was sent stays
  /// sent, and the answer is dropped when it comes.
  virtual void cancel(int rank, int64_t future) {}

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

  /// Of the server's end; elsewhere zeros.
  virtual MailboxCounters counters(int channel) { return {}; }

  /// All members arrive, but for those who have left.
  virtual Status barrier(int rank, Deadline deadline) = 0;

  /// Slows every message down from now on. Before the first call of a member.
  virtual Status limitRate(const RateLimit &limit) {
    return {ErrorCode::Unsupported, "this fabric cannot be slowed down"};
  }

  /// While `heldUp` says true, nobody is late, whatever the deadline. Before
  /// the first call of a member.
  virtual void excuse(std::function<bool()> heldUp) = 0;

  /// This member has ended in good order: nobody waits for it any more. Its
  /// last call.
  virtual void leave(int rank) noexcept = 0;
  /// From any thread or process: this member died.
  virtual void lost(int rank) noexcept = 0;
  /// From any thread or process: every wait ends with an error, at once.
  virtual void abort() noexcept = 0;
};

/// Members are threads of one process: the simple reference.
Status makeThreadFabric(int members, std::span<const ChannelSpec> channels,
                        std::unique_ptr<Fabric> &fabric);

/// Members are processes that are forked after this, or threads.
Status makeSharedFabric(int members, std::span<const ChannelSpec> channels,
                        std::unique_ptr<Fabric> &fabric);

/// `inner` with slow links.
Status makeRateLimitedFabric(std::unique_ptr<Fabric> inner,
                             const RateLimit &limit,
                             std::unique_ptr<Fabric> &fabric);

} // namespace rubato
