// A fabric for members whose values lie on a device: a way station in memory of
// the host, in front of any other fabric.
//
// Operands are fetched in order with their lane, and what was asked for is
// asked of the inner fabric when they are there; what arrives is brought in
// order with the lane of its place. Starts, pushes and polls wait for no lane;
// who waits for others waits for what is to be sent to them first.
#pragma once

#include "fabric/fabric.h"

#include <deque>
#include <mutex>

namespace rubato {

/// Of one member; made in its own process, and gone before `inner` and the
/// device. Parts without a lane go to `inner` as they are.
class StagedFabric final : public Fabric {
public:
  StagedFabric(Fabric &inner, int rank, int channels);

  /// Passes on what lanes have fetched; with `all`, what they are still to
  /// fetch as well, for which it waits. From any thread of the member.
  Status passOn(bool all = false);

  int members() const override { return inner.members(); }
  BlockSource &blocks(int rank) override { return inner.blocks(rank); }
  CopyCounters copied(int rank) override { return inner.copied(rank); }
  SumCounters summed(int rank) override { return inner.summed(rank); }
  Status ready(int rank, int channel, const Part &operand,
               int64_t bytes) override;
  Status startAllReduce(int rank, int channel, Parts ins,
                        int64_t &future) override;
  Status startBroadcast(int rank, int channel, int root, Parts ins,
                        int64_t &future) override;
  Status startExchange(int rank, int channel, int peer, int64_t tag, Parts ins,
                       int64_t &future) override;
  Status startPull(int rank, int channel, int64_t after,
                   int64_t &future) override;
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
  int64_t workers(int rank, int channel) override {
    return inner.workers(rank, channel);
  }
  Status close(int rank, int channel, Deadline deadline) override {
    return inner.close(rank, channel, deadline);
  }
  MailboxCounters counters(int channel) override {
    return inner.counters(channel);
  }
  Status barrier(int rank, Deadline deadline) override {
    return inner.barrier(rank, deadline);
  }
  void excuse(std::function<bool()> heldUp) override {
    inner.excuse(std::move(heldUp));
  }
  void leave(int rank) noexcept override { inner.leave(rank); }
  void lost(int rank) noexcept override { inner.lost(rank); }
  void abort() noexcept override { inner.abort(); }

private:
  /// A point on a lane.
  struct Point {
    Lane *lane = nullptr;
    Lane::Ticket ticket = 0;
    bool reached() const { return !lane || lane->reached(ticket); }
    bool isPast() const { return !lane || lane->isPast(ticket); }
    Status wait() const { return lane ? lane->waitFor(ticket) : Status::ok(); }
  };

  /// Parts of a message on the host's side, with all that must live until the
  /// lanes are done with it.
  struct Stage {
    std::vector<Part> parts;
    std::vector<SharedBlock> blocks;        // on the host: of whole values
    std::vector<std::vector<char>> numbers; // of all else
    std::vector<SharedBlock> held;          // on the device
    std::vector<Point> points;              // when all has been fetched
  };
  using SharedStage = std::shared_ptr<Stage>;

  /// What the inner fabric is asked for once `stage` is filled.
  struct Request {
    SharedStage stage;
    std::function<Status(Parts ins)> ask;
  };
  struct Channel {
    std::mutex mutex; // held while requests are made: they keep their order
    std::deque<Request> requests;
    // Of the next reduction, by the strand that uses the channel:
    SharedBlock early;    // where its first operand is gathered
    SharedBlock from;     // that operand, held: its memory is no other's
    int64_t gathered = 0; // bytes
  };
  struct Future {
    int channel = 0;
    int64_t number = 0; // of the inner fabric; 0: not asked for yet
    Status failed;
    bool cancelled = false;
    // Of what arrives in parts:
    SharedBlock near, far;
    int64_t brought = 0, bytes = 0;
  };
  /// Memory of the host that a lane still reads.
  struct Kept {
    Point until;
    SharedStage stage;
    SharedBlock block;
  };

  bool isChannel(int channel) const {
    return channel >= 0 && static_cast<size_t>(channel) < channels.size();
  }
  SharedStage fetch(Parts ins, Channel *channel = nullptr);
  void fetchPart(const Part &part, Stage &stage, Channel *channel);
  Status startWith(int channel, Parts ins, int64_t &future,
                   std::function<Status(Parts ins, int64_t &future)> ask,
                   Channel *early = nullptr);
  void enqueue(int channel, Request request);
  Status failure();
  Status passOn(Channel &channel, bool waits);
  Status find(int64_t future, std::shared_ptr<Future> &found);
  void forget(int64_t future);
  SharedStage stageFor(Parts outs);
  void bring(Parts outs, const SharedStage &stage, int64_t first,
             Future *arriving);
  void keep(Kept kept);

  Fabric &inner;
  const int rank;
  std::vector<std::unique_ptr<Channel>> channels;
  std::mutex mutex; // of what follows
  std::map<int64_t, std::shared_ptr<Future>> futures;
  int64_t last = 0;
  std::vector<Kept> kept;
  Status failed; // of what nobody awaits: the next call tells
};

} // namespace rubato
