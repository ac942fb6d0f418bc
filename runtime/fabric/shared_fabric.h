// The transport between processes of one machine: everything they share is
// one block of memory that they inherit, see shared_words.h.
#pragma once

#include "fabric/block_pool.h"
#include "fabric/fabric_base.h"
#include "fabric/mailbox_server.h"
#include "fabric/shared_words.h"
#include "support/memory.h"

#include <mutex>
#include <optional>
#include <pthread.h>

namespace rubato {

class SharedFabric final : public FabricBase {
public:
  SharedFabric(int members, std::span<const ChannelSpec> channels);
  ~SharedFabric() override;
  static Status make(int members, std::span<const ChannelSpec> channels,
                     std::unique_ptr<Fabric> &fabric);

  Status mapBlocks(std::span<const BlockDemand> demands) override;
  BlockSource &blocks(int rank) override;
  CopyCounters copied(int rank) override;
  SumCounters summed(int rank) override;

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
  using Life = shared::Life;

  /// Where a channel's words and buffers are, from the start of the block.
  struct Place {
    int64_t stride = 0;                 // bytes of a buffer
    int64_t slots = 0, posts = 0;       // of collectives
    int64_t inputs = 0, results = 0;    //
    int64_t spills = 0;                 //
    int64_t letters = 0, snapshots = 0; // of pairs
    int64_t mailbox = 0, ends = 0;      // of mailboxes
    int64_t uploads = 0, uploadData = 0, grants = 0, grantData = 0;
  };

  struct Future {
    int64_t id = 0;
    CallId call;
    Shape shape;
    int64_t started = 0;
    bool tooLate = false; // peer lost, or channel closed, when it began
    bool cancelled = false;
    int64_t first = INT64_MAX; // bytes of the first large part that are wanted
    int64_t whole = 0; // bytes of what it brings first, of which not all
                       // has arrived
  };

  /// How a future stands.
  struct Standing {
    bool ready = false, summing = false;
    Status failure;
    int64_t readyAt = 0; // when a slow link delivers it, if known
    Spread at;           // the answer
    Shape shape;         // of it
    bool over() const { return ready || !failure; }
  };

  using Blocks = std::array<SharedBlock, Layout::maxLarge>;

  /// What a member keeps to itself about a collective under way.
  struct SlotState {
    Blocks kept;   // its operands
    Marks arrives; // once the own link has it
    /// How many blocks of the result that was last in this place the member
    /// still has.
    std::shared_ptr<std::atomic<int>> shown =
        std::make_shared<std::atomic<int>>(0);
  };

  /// What a member keeps to itself about a channel.
  struct ChannelState {
    int64_t posted = 0;  // collectives
    int64_t carried = 0; // collectives that the own link has, or has carried
    Status broken;       // why the channel's collectives failed for good
    int64_t early = 0;   // the collective of which something was said before
    bool isOpen = false; // whether others were told
    Marks marks;         // what was said
    std::vector<SlotState> slots;
    /// Of a pair: which letter, as an index, each buffer went out with.
    std::vector<int64_t> letterOf;
    int uploadBuffer = 0;                 // of a worker: to be filled next
    std::optional<MailboxServer> server;  // of a server
    std::vector<std::vector<int>> spares; // its buffers of each worker
    std::vector<Blocks> granted;          // what is in its snapshots
  };

  /// A member as its own process knows it.
  struct Local {
    std::mutex mutex; // of the futures: strands are threads
    std::vector<Future> futures;
    int64_t lastFuture = 0;
    std::atomic<int> cancelled{0}; // among the futures
    std::vector<ChannelState> channels;
    /// Chunks summed here. That one is done, others may learn first and tell;
    /// within the process it is said here too, where checkers can see it.
    std::atomic<int64_t> helped{0};
    std::mutex commMutex; // of starting and stopping the thread
    bool commRuns = false;
    std::atomic<bool> commStops{false};
    pthread_t comm{};
  };
  class Uploads;
  class Source;

  static constexpr int maxSnapshots = 4; // that a member has sent and not read

  // Layout.
  void lay(int64_t &bytes);
  Status construct();
  template <typename T> T *at(int64_t offset) {
    return reinterpret_cast<T *>(block.data() + offset);
  }
  shared::RunWords &run() { return *at<shared::RunWords>(0); }
  shared::MemberWords &member(int rank) {
    return at<shared::MemberWords>(membersAt)[rank];
  }
  int slotsOf(int channel) const { return specs[size_t(channel)].inFlight; }
  shared::SlotWords &slot(int channel, int64_t number) {
    return at<shared::SlotWords>(
        places[size_t(channel)].slots)[number % slotsOf(channel)];
  }
  shared::PostWords &post(int channel, int64_t number, int rank) {
    return at<shared::PostWords>(
        places[size_t(channel)]
            .posts)[number % slotsOf(channel) * memberCount + rank];
  }
  char *input(int channel, int64_t number, int rank) {
    const Place &place = places[size_t(channel)];
    return block.data() + place.inputs +
           (number % slotsOf(channel) * memberCount + rank) * place.stride;
  }
  /// Where a result is shown; `spilled`: where it goes if somebody still reads
  /// an older one there.
  char *result(int channel, int64_t number, bool spilled) {
    const Place &place = places[size_t(channel)];
    return block.data() + (spilled ? place.spills : place.results) +
           number % slotsOf(channel) * place.stride;
  }
  bool isShown(const char *data, int channel) {
    const Place &place = places[size_t(channel)];
    return data >= block.data() + place.results &&
           data < block.data() + place.spills;
  }
  bool isShownTo(Parts outs, const Spread &at, int channel);
  shared::LetterWords *letters(int channel, int from, int to) {
    return at<shared::LetterWords>(places[size_t(channel)].letters) +
           (int64_t(from) * memberCount + to) * 2;
  }
  int snapshotCount() const { return std::min(memberCount, maxSnapshots); }
  char *snapshot(int channel, int rank, int buffer) {
    const Place &place = places[size_t(channel)];
    return block.data() + place.snapshots +
           (int64_t(rank) * snapshotCount() + buffer) * place.stride;
  }
  shared::MailboxWords &mailbox(int channel) {
    return *at<shared::MailboxWords>(places[size_t(channel)].mailbox);
  }
  shared::WorkerWords &end(int channel, int worker) {
    return at<shared::WorkerWords>(places[size_t(channel)].ends)[worker];
  }
  shared::CargoWords &upload(int channel, int worker, int buffer) {
    return at<shared::CargoWords>(
        places[size_t(channel)]
            .uploads)[worker * shared::WorkerWords::buffers + buffer];
  }
  char *uploadData(int channel, int worker, int buffer) {
    const Place &place = places[size_t(channel)];
    return block.data() + place.uploadData +
           (int64_t(worker) * shared::WorkerWords::buffers + buffer) *
               place.stride;
  }
  /// Each worker may need its newest and be reading an older one.
  int grantCount() const { return 2 * workerCount() + 1; }
  shared::CargoWords &grantCargo(int channel, int index) {
    return at<shared::CargoWords>(places[size_t(channel)].grants)[index];
  }
  char *grantData(int channel, int index) {
    const Place &place = places[size_t(channel)];
    return block.data() + place.grantData + index * place.stride;
  }
  ChannelState &state(int rank, int channel) {
    return locals[size_t(rank)]->channels[size_t(channel)];
  }
  SlotState &slotState(const CallId &call) {
    return state(call.rank, call.channel)
        .slots[size_t(call.number % slotsOf(call.channel))];
  }

  // Memory of values.
  bool isMapped(const char *data) const {
    return pool->contains(data) ||
           (data >= block.data() && data < block.data() + block.size());
  }
  static bool isCollective(const CallId &call) {
    return call.kind == Kind::AllReduce || call.kind == Kind::Broadcast;
  }
  /// What a part is, if it is a block that others can read.
  const SharedBlock *mappedBlock(const Part &part) const;
  void countCopy(const CallId &call, int64_t values, int64_t numbers);
  /// A copy that others can read; null: the pool has no block left.
  SharedBlock copyOf(const CallId &call, const Part &part);
  /// Lends large parts, or copies of them.
  Spread lend(const CallId &call, const LargeParts &large,
              std::span<const int> readers);
  /// Copies what lies nowhere yet into `message`.
  Spread spread(const CallId &call, Parts ins, const LargeParts &large,
                Spread at, char *message);
  /// Brings a large part of an answer that lies at `from`.
  void bring(const CallId &call, const Part &out, int index, char *from);
  /// What was lent to a member for this answer is not wanted.
  void refuse(const CallId &call, const Spread &at);
  void giveBack(int rank, const Spread &at);

  // Members and waits.
  Life life(int rank) { return member(rank).life.load(); }
  static void ring(shared::Bell &bell);
  void ringAll(bool comm);
  /// Sleeps until the bell has rung since `seen`, `until` or the deadline,
  /// and never long; false once the deadline has passed.
  bool sleep(shared::Bell &bell, uint32_t seen, Deadline deadline,
             int64_t until = 0);
  Status checkAlive(const CallId &call);
  void endMember(int rank, Life life) noexcept;

  // Futures.
  int64_t addFuture(Future future);
  int inFlight(int rank, int channel);
  /// The number of the first collective that is not awaited, or the largest
  /// number there is. A cancelled one still needs its slot.
  int64_t oldestOpen(int rank, int channel);
  /// Drops cancelled futures of a channel whose answers have come.
  void reap(int rank, int channel);
  bool find(int rank, int64_t id, Future &future);
  void forget(int rank, int64_t id);
  /// Of the future not all has arrived.
  void keepWhole(int rank, int64_t id, int64_t bytes);
  Standing look(const Future &future);
  /// Looks until it is over, and helps.
  Standing waitFor(const Future &future, Deadline deadline);
  Status take(const Future &future, const Standing &standing, Parts outs);
  Status isLate(const Future &future);

  // Collectives.
  Status startCollective(CallId call, Parts ins, int64_t &future);
  bool allPosted(int channel, int64_t number);
  bool agree(int channel, int64_t number);
  void lookAtCollective(const Future &future, Standing &standing);
  Status explainDisagreement(const Future &future);
  bool isCarried(const CallId &call, int64_t bytes, int64_t &arrives);
  void announce(const CallId &call, int64_t bytes);
  void keep(const CallId &call, Parts ins, const LargeParts &large);
  void endCollective(const CallId &call);
  void sum(int rank, int channel, int64_t number);
  struct Operands;
  Operands operandsOf(int channel, int64_t number);
  /// How much of a collective's first large part is final on all members.
  int64_t readyEverywhere(int channel, int64_t number);
  template <typename Sum>
  bool sumChunk(int rank, int channel, int64_t number, int chunk, bool posted,
                Sum sum);
  bool isSummed(int channel, int64_t number, int from, int to);
  bool isThere(const CallId &call, int64_t bytes);
  void makeKnown(int channel, int64_t number, const Spread &at);
  Status startComm(int rank);
  void stopComm(int rank) noexcept;
  void serveComm(int rank);
  void helpAll(int rank);

  // Pairs.
  Status findRoom(const CallId &call, int &buffer, int &which);
  int freeBuffer(const CallId &call, int &slow);
  shared::LetterWords *letterFor(const CallId &call);
  void lookAtExchange(const Future &future, Standing &standing);

  // Mailboxes.
  template <typename Use> bool withMail(const Future &future, Use use);
  void lookAtPull(const Future &future, Standing &standing);
  Status takePull(const Future &future, Parts outs);
  int endGrants(int rank, int channel);
  std::vector<int> presentWorkers(int channel);

  int spins;
  bool spareCores; // more than members
  int64_t membersAt = 0, linksAt = 0;
  std::vector<Place> places;
  std::vector<std::unique_ptr<Local>> locals;
  Memory block;
  std::shared_ptr<BlockPool> pool;
  std::vector<std::unique_ptr<BlockSource>> sources; // of each member's values
};

} // namespace rubato
