// The shared-memory group. An all-reduce is: announce the call, meet, compare
// the calls, sum one's own slice of every range, meet again. Operands are
// never written, so a call cut short by a death can be done again.
#include "fabric/shared_group.h"

#include "fabric/reduce.h"
#include "support/dtype.h"

#include <algorithm>
#include <new>

namespace rubato {

Status Group::create(int members, int64_t sharedBytes, int64_t resultBytes,
                     std::unique_ptr<Group> &group) {
  return SharedGroup::make(members, sharedBytes, resultBytes, group);
}

Status SharedGroup::make(int members, int64_t sharedBytes, int64_t resultBytes,
                         std::unique_ptr<Group> &group) {
  if (members < 1 || members > Barrier::maxMembers)
    return Status::user("cannot make a group of " + std::to_string(members) +
                        " members: use 1 to " +
                        std::to_string(Barrier::maxMembers));
  constexpr int64_t page = 4096, sizeLimit = int64_t(1) << 46;
  if (sharedBytes < 0 || sharedBytes > sizeLimit / members || resultBytes < 0 ||
      resultBytes > sizeLimit)
    return Status::user("cannot share " + std::to_string(sharedBytes) +
                        " bytes per member and " + std::to_string(resultBytes) +
                        " of results: use fewer workers");
  auto pages = [](int64_t bytes) { return (bytes + page - 1) / page * page; };

  auto made = std::make_unique<SharedGroup>();
  made->memberCount = members;
  made->spins = spinTurns(members);
  made->sharedSize = sharedBytes;
  made->resultSize = resultBytes;
  made->sharedOffset =
      pages(int64_t(sizeof(Control)) + members * int64_t(sizeof(MemberState)));
  made->sharedStride = pages(sharedBytes);
  made->resultOffset = made->sharedOffset + members * made->sharedStride;
  RB_TRY(Memory::sharedMemory(made->resultOffset + pages(resultBytes),
                              "memory shared by the workers", made->block));
  new (made->block.data()) Control();
  for (int rank = 0; rank < members; ++rank)
    new (&made->member(rank)) MemberState();
  group = std::move(made);
  return Status::ok();
}

SharedGroup::MemberState &SharedGroup::member(int rank) {
  return reinterpret_cast<MemberState *>(block.data() + sizeof(Control))[rank];
}

char *SharedGroup::shared(int rank) {
  return block.data() + sharedOffset + rank * sharedStride;
}

char *SharedGroup::result() { return block.data() + resultOffset; }

rb_status SharedGroup::verdict() const {
  return control().barrier.verdict().status;
}

void SharedGroup::abort(int lostRank) noexcept {
  bool named = lostRank >= 0 && lostRank < memberCount;
  control().barrier.abort(
      {named ? RB_PEER_LOST : RB_ABORTED, named ? lostRank : -1});
}

Status SharedGroup::explain(Verdict why) const {
  std::string who = "rank " + std::to_string(why.rank);
  std::string what;
  switch (why.status) {
  case RB_PEER_LOST:
    what = who + " is gone; its own log says why";
    break;
  case RB_TIMED_OUT:
    what = who + " did not arrive before the deadline; it is stopped, stuck "
                 "or much slower than the others";
    break;
  case RB_INVALID:
    what = who + " is in another collective than the others; all workers must "
                 "run the same executable with the same options";
    break;
  default:
    what = "the group was ended from outside";
  }
  return {ErrorCode::Communication, what};
}

/// One barrier; when it fails, the error names whom it failed for.
Status SharedGroup::meet(int rank, Deadline deadline) {
  Barrier &barrier = control().barrier;
  std::atomic<uint32_t> &mine = member(rank).arrived;
  Barrier::Outcome outcome = barrier.arrive(memberCount, spins, mine, deadline);
  if (outcome == Barrier::Outcome::TimedOut) {
    uint32_t arrived = mine.load(std::memory_order_relaxed);
    int missing = 0;
    while (missing + 1 < memberCount &&
           member(missing).arrived.load(std::memory_order_relaxed) == arrived)
      ++missing;
    outcome = barrier.expire(arrived, {RB_TIMED_OUT, missing});
  }
  return outcome == Barrier::Outcome::Passed ? Status::ok()
                                             : explain(barrier.verdict());
}

SharedGroup::Call &SharedGroup::announce(int rank, Call::Kind kind) {
  MemberState &state = member(rank);
  Call &call = state.slots[state.calls++ % 2];
  call.kind = kind;
  call.channel = -1;
  call.seq = call.count = 0;
  return call;
}

static bool sameRange(const rb_range &a, const rb_range &b) {
  return a.region == b.region && a.dtype == b.dtype && a.offset == b.offset &&
         a.count == b.count;
}

/// Compares this member's call with everybody's, after they have met.
Status SharedGroup::compareCalls(int rank, const Call &mine) {
  size_t slot = static_cast<size_t>(&mine - member(rank).slots);
  for (int peer = 0; peer < memberCount; ++peer) {
    const Call &call = member(peer).slots[slot];
    bool same = call.kind == mine.kind && call.channel == mine.channel &&
                call.seq == mine.seq && call.count == mine.count;
    for (int64_t i = 0; same && i < mine.count; ++i)
      same = sameRange(call.ins[i], mine.ins[i]) &&
             sameRange(call.outs[i], mine.outs[i]);
    if (same)
      continue;
    control().barrier.abort({RB_INVALID, peer});
    auto describe = [](const Call &call) {
      if (call.kind == Call::Barrier)
        return std::string("a barrier");
      int64_t bytes = 0;
      for (int64_t i = 0; i < call.count; ++i)
        bytes += call.ins[i].count * elementBytes(call.ins[i].dtype);
      return "all-reduce " + std::to_string(call.seq) + " of channel " +
             std::to_string(call.channel) + " with " +
             std::to_string(call.count) + " ranges of " +
             std::to_string(bytes) + " bytes";
    };
    return {ErrorCode::Communication,
            "rank " + std::to_string(rank) + " is in " + describe(mine) +
                ", but rank " + std::to_string(peer) + " in " + describe(call) +
                "; all workers must run the same executable with the same "
                "options"};
  }
  return Status::ok();
}

static bool inside(const rb_range &range, int32_t region, int64_t size) {
  if (range.region != region || !isDtype(range.dtype) || range.offset < 0 ||
      range.offset > size || range.count < 0)
    return false;
  int64_t element = elementBytes(range.dtype);
  return range.offset % element == 0 &&
         range.count <= (size - range.offset) / element;
}

Status SharedGroup::checkRanges(const rb_range *ins, const rb_range *outs,
                                int64_t count) const {
  bool good = count >= 0 && count <= maxRanges;
  for (int64_t i = 0; good && i < count; ++i)
    good = inside(ins[i], RB_SHARED, sharedSize) &&
           inside(outs[i], RB_RESULT, resultSize) &&
           ins[i].dtype == outs[i].dtype && ins[i].count == outs[i].count;
  if (good)
    return Status::ok();
  return {ErrorCode::Internal, "an all-reduce asks for ranges that do not "
                               "exist or do not fit each other"};
}

Status SharedGroup::allReduceSum(int rank, const rb_range *ins,
                                 const rb_range *outs, int64_t count,
                                 Deadline deadline) {
  return allReduceSum(rank, CallName(), ins, outs, count, deadline);
}

Status SharedGroup::allReduceSum(int rank, const CallName &name,
                                 const rb_range *ins, const rb_range *outs,
                                 int64_t count, Deadline deadline) {
  RB_TRY(checkRanges(ins, outs, count));
  return noted(
      member(rank).note, rubato::Call::AllReduce, name.channel, -1, -1,
      [&] { return sumTogether(rank, name, ins, outs, count, deadline); });
}

Status SharedGroup::sumTogether(int rank, const CallName &name,
                                const rb_range *ins, const rb_range *outs,
                                int64_t count, Deadline deadline) {
  if (memberCount == 1 && control().barrier.verdict().status != RB_OK)
    return explain(control().barrier.verdict());
  if (memberCount > 1) {
    Call &call = announce(rank, Call::AllReduce);
    call.channel = name.channel;
    call.seq = name.seq;
    call.count = count;
    std::copy_n(ins, count, call.ins);
    std::copy_n(outs, count, call.outs);
    RB_TRY(meet(rank, deadline));
    RB_TRY(compareCalls(rank, call));
  }
  const char *parts[Barrier::maxMembers];
  for (int64_t i = 0; i < count; ++i) {
    int64_t bytes = ins[i].count * elementBytes(ins[i].dtype);
    Slice slice = sliceOf(outs[i].offset, bytes, rank, memberCount);
    for (int peer = 0; peer < memberCount; ++peer)
      parts[peer] = shared(peer) + ins[i].offset + slice.begin;
    sumInRankOrder(static_cast<rb_dtype>(ins[i].dtype), parts, memberCount,
                   result() + outs[i].offset + slice.begin,
                   slice.end - slice.begin);
  }
  return memberCount == 1 ? Status::ok() : meet(rank, deadline);
}

Status SharedGroup::barrier(int rank, Deadline deadline) {
  if (memberCount == 1 && control().barrier.verdict().status == RB_OK)
    return Status::ok();
  return noted(member(rank).note, rubato::Call::Barrier, -1, -1, -1, [&] {
    const Call &call = announce(rank, Call::Barrier);
    RB_TRY(meet(rank, deadline));
    return compareCalls(rank, call);
  });
}

} // namespace rubato
