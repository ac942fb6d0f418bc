// A group of processes (or threads) on one machine: everything they share is
// one block of memory that they inherit.
#pragma once

#include "fabric/barrier.h"
#include "fabric/group.h"
#include "support/memory.h"

#include <atomic>

namespace rubato {

class SharedGroup final : public Group {
public:
  static Status make(int members, int64_t sharedBytes, int64_t resultBytes,
                     std::unique_ptr<Group> &group);

  int members() const override { return memberCount; }
  int64_t sharedBytes() const override { return sharedSize; }
  int64_t resultBytes() const override { return resultSize; }
  char *shared(int rank) override;
  char *result() override;

  Status allReduceSum(int rank, const rb_range *ins, const rb_range *outs,
                      int64_t count, Deadline deadline) override;
  Status allReduceSum(int rank, const CallName &name, const rb_range *ins,
                      const rb_range *outs, int64_t count,
                      Deadline deadline) override;
  Status barrier(int rank, Deadline deadline) override;
  void abort(int lostRank) noexcept override;
  rb_status verdict() const override;
  const WaitNote *note(int rank) override { return &member(rank).note; }

private:
  /// What a member believes the group is doing.
  struct Call {
    enum Kind : int32_t { Barrier, AllReduce };
    int32_t kind, channel;
    int64_t seq, count;
    rb_range ins[maxRanges], outs[maxRanges];
  };

  /// A member's part of the control block. Calls alternate between two slots:
  /// a slow member may still compare the last call while a fast one announces
  /// the next.
  struct alignas(64) MemberState {
    std::atomic<uint32_t> arrived;
    uint32_t calls;
    WaitNote note;
    Call slots[2];
  };

  struct Control {
    Barrier barrier;
  };

  Control &control() { return *reinterpret_cast<Control *>(block.data()); }
  const Control &control() const {
    return *reinterpret_cast<const Control *>(block.data());
  }
  MemberState &member(int rank);

  Call &announce(int rank, Call::Kind kind);
  Status sumTogether(int rank, const CallName &name, const rb_range *ins,
                     const rb_range *outs, int64_t count, Deadline deadline);
  Status meet(int rank, Deadline deadline);
  Status compareCalls(int rank, const Call &mine);
  Status explain(Verdict why) const;
  Status checkRanges(const rb_range *ins, const rb_range *outs,
                     int64_t count) const;

  int memberCount = 1, spins = 0;
  int64_t sharedSize = 0, resultSize = 0;
  int64_t sharedOffset = 0, sharedStride = 0, resultOffset = 0;
  Memory block;
};

} // namespace rubato
