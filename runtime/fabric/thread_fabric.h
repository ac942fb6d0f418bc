// The reference transport: members are threads of one process, all state is
// under one mutex, and every change wakes everybody.
#pragma once

#include "fabric/fabric_base.h"
#include "fabric/mailbox_server.h"

#include <atomic>
#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>

namespace rubato {

class ThreadFabric final : public FabricBase {
public:
  ThreadFabric(int members, std::span<const ChannelSpec> channels);
  static Status make(int members, std::span<const ChannelSpec> channels,
                     std::unique_ptr<Fabric> &fabric);

  BlockSource &blocks(int rank) override { return ranks[size_t(rank)].source; }
  CopyCounters copied(int rank) override;

  Status startAllReduce(int rank, int channel, Parts ins,
                        int64_t &future) override;
  Status startBroadcast(int rank, int channel, int root, Parts ins,
                        int64_t &future) override;
  Status startExchange(int rank, int channel, int peer, int64_t tag, Parts ins,
                       int64_t &future) override;
  Status startPull(int rank, int channel, int64_t after,
                   int64_t &future) override;
  Status ready(int rank, int channel, const Part &operand,
               int64_t bytes) override;
  bool done(int rank, int64_t future) override;
  Status awaitFirst(int rank, int64_t future, Parts outs, int64_t first,
                    Deadline deadline) override;
  Status arrive(int rank, int64_t future, int64_t bytes, Deadline deadline,
                Lane *lane) override;
  void cancel(int rank, int64_t future) override;

  Status push(int rank, int channel, int64_t ticket, Parts ins) override;
  Status collect(int rank, int channel, int64_t first, bool byStaleness,
                 Parts outs, Collected &collected, Deadline deadline) override;
  Status grant(int rank, int channel, bool toAll, int64_t staleAfter, Parts ins,
               Granted &granted) override;
  int64_t workers(int rank, int channel) override;
  Status close(int rank, int channel, Deadline deadline) override;
  MailboxCounters counters(int channel) override;

  Status barrier(int rank, Deadline deadline) override;
  void leave(int rank) noexcept override;
  void lost(int rank) noexcept override;
  void abort() noexcept override;

private:
  using Lock = std::unique_lock<std::mutex>;
  enum class Life { Alive, Left, Lost };

  /// Somebody's values, which nobody changes: blocks, and copies of the rest.
  struct Kept {
    Shape shape;
    Layout layout;
    int64_t sent = 0;
    int64_t arrives = 0; // once it is known
    Marks marks;         // of a collective: when its first large part was there
    std::array<SharedBlock, Layout::maxLarge> large;
    std::vector<char> rest;

    Spread at();
  };
  /// One collective: who has posted what, and the result once all have.
  struct Meeting {
    struct Post {
      CallId call;
      std::shared_ptr<Kept> message;
    };
    std::vector<std::optional<Post>> posts;
    int arrived = 0, taken = 0;
    std::shared_ptr<Kept> result;
    std::vector<Marks> arrives; // of it, by rank
  };
  struct Snapshot {
    int from = 0, to = 0;
    int64_t tag = 0;
    std::shared_ptr<Kept> message;
  };
  struct Arrived {
    int worker = 0;
    int64_t ticket = 0, number = 0;
    std::shared_ptr<Kept> message;
  };
  struct Mail {
    int64_t ticket = 0;
    std::shared_ptr<Kept> message;
    int64_t arrives = 0;
  };
  struct Channel {
    std::map<int64_t, Meeting> meetings;
    std::vector<int64_t> posted;       // collectives of each member
    std::vector<Marks> early;          // what each has said of its next
    std::vector<const char *> earlyAt; // and of which block, if it is one
    std::list<Snapshot> snapshots;
    std::optional<MailboxServer> server;
    std::list<Arrived> arrived, taken;
    std::vector<Mail> mail;
    int64_t pushed = 0, replaced = 0;
    bool closed = false;
  };
  struct Future {
    CallId call;
    Shape shape;
    int64_t started = 0, after = 0;
    bool tooLate = false; // peer lost, or channel closed, when it began
    bool cancelled = false;
    int64_t first = INT64_MAX; // bytes of the first large part that are wanted
    int64_t whole = 0; // bytes of what it brings first, of which not all
                       // has arrived
  };
  /// Where a member's values get their memory: all members can read it.
  class Source final : public BlockSource {
  public:
    SharedBlock take(int64_t bytes) override { return takeBlock(bytes); }
    void copiedCell(int64_t bytes) override { cells += bytes; }
    std::atomic<int64_t> cells{0};
  };
  struct Member {
    Life life = Life::Alive;
    int64_t barriers = 0, lastFuture = 0;
    std::map<int64_t, Future> futures;
    CopyCounters copied;
    Source source;
  };
  /// How a future stands.
  struct Standing {
    bool ready = false;
    Status failure;
    int64_t readyAt = 0;        // when a slow link delivers it, if known
    std::shared_ptr<Kept> kept; // the answer; null, of a pull: zeros
    int64_t ticket = 0, go = 0; // of a pull
    std::vector<int> missing;   // whom it waits for
    bool over() const { return ready || !failure; }
  };
  class Uploads;

  /// Waits for a change, at most until `until` or for the longest sleep;
  /// false once the deadline has passed.
  bool sleep(Lock &lock, Deadline deadline, int64_t until = 0);
  Status checkAlive(const CallId &call) const;
  int64_t addFuture(const Future &future);
  std::shared_ptr<Kept> keep(const CallId &call, Parts ins);
  void bring(const CallId &call, Kept &from, Parts outs);
  void countCopy(const CallId &call, int64_t values, int64_t numbers);
  Status post(const CallId &call, Parts ins, int64_t &future);
  Standing look(const Future &future);
  /// Looks until it is over.
  Standing waitFor(Lock &lock, const Future &future, Deadline deadline);
  void lookAtCollective(const Future &future, Standing &standing);
  void lookAtExchange(const Future &future, Standing &standing);
  void lookAtPull(const Future &future, Standing &standing);
  Status takePull(const CallId &call, const Standing &standing, Parts outs);
  void taken(const Future &future);
  /// Drops cancelled futures of a member whose answers have come.
  void reap(Member &member);
  void endMember(int rank, Life life) noexcept;

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Channel> channels;
  std::vector<Member> ranks;
  std::unique_ptr<LinkWords[]> linkWords;
  bool ended = false;
};

} // namespace rubato
