// The reference transport: collectives and pairs. The last member to post
// adds up; the sum is short of nothing but time, which the reference has.
#include "fabric/thread_fabric.h"

#include <algorithm>
#include <utility>

namespace rubato {

Status ThreadFabric::startAllReduce(int rank, int channel, Parts ins,
                                    int64_t &future) {
  return post({Kind::AllReduce, rank, channel, 0, -1}, ins, future);
}

Status ThreadFabric::startBroadcast(int rank, int channel, int root, Parts ins,
                                    int64_t &future) {
  CallId call{Kind::Broadcast, rank, channel, 0, root};
  RB_TRY(checkCall(call, 0));
  RB_TRY(checkRoot(call));
  return post(call, ins, future);
}

/// The reference adds up at the end; only links see what came before.
Status ThreadFabric::ready(int rank, int channel, const Part &operand,
                           int64_t bytes) {
  CallId call{Kind::AllReduce, rank, channel, 0, -1};
  RB_TRY(checkCall(call, bytesOf(operand)));
  Lock lock(mutex);
  Channel &its = channels[size_t(channel)];
  its.early[size_t(rank)].push_back({bytes, steadyNow()});
  if (operand.block && *operand.block && bytesOf(operand) >= Layout::leastLarge)
    its.earlyAt[size_t(rank)] = (*operand.block)->data;
  return Status::ok();
}

Status ThreadFabric::post(const CallId &as, Parts ins, int64_t &future) {
  CallId call = as;
  RB_TRY(checkCall(call, bytesOf(ins)));
  Lock lock(mutex);
  Channel &channel = channels[size_t(call.channel)];
  call.number = channel.posted[size_t(call.rank)] + 1;
  RB_TRY(checkAlive(call));
  Member &member = ranks[size_t(call.rank)];
  reap(member);
  // As in shared memory, where each number has a slot, in turns.
  if (std::ranges::any_of(member.futures, [&](const auto &each) {
        return each.second.call.channel == call.channel &&
               each.second.call.number + specs[size_t(call.channel)].inFlight <=
                   call.number;
      }))
    return tooMany(call);
  if (const char *at =
          std::exchange(channel.earlyAt[size_t(call.rank)], nullptr)) {
    LargeParts large(ins);
    if (call.kind != Kind::AllReduce || large.layout.count == 0 ||
        dataOf(*large.parts[0]) != at)
      return otherOperand(call);
  }
  ++channel.posted[size_t(call.rank)];
  Meeting &meeting = channel.meetings[call.number];
  meeting.posts.resize(size_t(memberCount));
  Meeting::Post &mine = meeting.posts[size_t(call.rank)].emplace();
  mine.call = call;
  mine.message = keep(call, ins);
  mine.message->marks = std::exchange(channel.early[size_t(call.rank)], {});
  if (mine.message->layout.count > 0)
    mine.message->marks.push_back(
        {mine.message->layout.large[0].bytes, mine.message->sent});
  future = addFuture(
      {call, mine.message->shape, mine.message->sent, 0, false, false});
  if (++meeting.arrived < memberCount)
    return Status::ok();

  changed.notify_all();
  std::vector<Spread> messages;
  for (const auto &each : meeting.posts) {
    if (each->call.kind != call.kind || each->call.peer != call.peer ||
        !(each->message->shape == mine.message->shape))
      return Status::ok(); // everybody finds out in look()
    messages.push_back(each->message->at());
  }
  std::vector<Marks> marks;
  for (const auto &each : meeting.posts)
    marks.push_back(each->message->marks);
  Marks started = together(marks);
  if (started.empty())
    started.push_back({0, mine.message->sent});
  for (int rank = 0; rank < memberCount; ++rank)
    meeting.arrives.push_back(arrivals(meeting.posts[size_t(rank)]->call,
                                       started, mine.message->shape.bytes()));
  if (call.kind == Kind::Broadcast || memberCount == 1) {
    // As it is.
    int from = call.kind == Kind::Broadcast ? call.peer : call.rank;
    meeting.result = meeting.posts[size_t(from)]->message;
    return Status::ok();
  }
  auto result = std::make_shared<Kept>();
  result->shape = mine.message->shape;
  const Layout &layout = result->layout = mine.message->layout;
  for (size_t i = 0; i < size_t(layout.count); ++i)
    result->large[i] = takeBlock(layout.large[i].bytes);
  result->rest.resize(mine.message->rest.size());
  sumSpread(layout, messages, result->at(), 0, layout.extent());
  meeting.result = std::move(result);
  return Status::ok();
}

void ThreadFabric::lookAtCollective(const Future &future, Standing &standing) {
  const CallId &call = future.call;
  const Meeting &meeting = channels[size_t(call.channel)].meetings[call.number];
  int dead = -1, finished = -1;
  for (int rank = 0; rank < memberCount; ++rank) {
    const auto &post = meeting.posts[size_t(rank)];
    if (post)
      continue;
    standing.missing.push_back(rank);
    Life life = ranks[size_t(rank)].life;
    if (life == Life::Lost && dead < 0)
      dead = rank;
    if (life == Life::Left && finished < 0)
      finished = rank;
  }
  if (!standing.missing.empty()) {
    if (dead >= 0)
      standing.failure = gone(call, dead);
    else if (finished >= 0)
      standing.failure = left(call, finished);
    return;
  }
  for (const auto &post : meeting.posts)
    if (post->call.kind != call.kind || post->call.peer != call.peer ||
        !(post->message->shape == future.shape)) {
      standing.failure =
          disagree(call, future.shape, post->call, post->message->shape);
      return;
    }
  standing.ready = true;
  standing.readyAt = timeOf(meeting.arrives[size_t(call.rank)], future.first);
  standing.kept = meeting.result;
}

Status ThreadFabric::startExchange(int rank, int channel, int peer, int64_t tag,
                                   Parts ins, int64_t &future) {
  CallId call{Kind::Exchange, rank, channel, tag, peer};
  RB_TRY(checkCall(call, bytesOf(ins)));
  RB_TRY(checkPeer(call));
  Lock lock(mutex);
  RB_TRY(checkAlive(call));
  Member &member = ranks[size_t(rank)];
  reap(member);
  if (std::ranges::any_of(member.futures, [&](const auto &each) {
        return each.second.call.channel == channel && !each.second.cancelled;
      }))
    return tooMany(call);
  bool dead = ranks[size_t(peer)].life == Life::Lost;
  future = addFuture({call, shapeOf(ins), steadyNow(), 0, dead, false});
  if (dead)
    return Status::ok();
  channels[size_t(channel)].snapshots.push_back(
      {rank, peer, tag, keep(call, ins)});
  changed.notify_all();
  return Status::ok();
}

void ThreadFabric::lookAtExchange(const Future &future, Standing &standing) {
  const CallId &call = future.call;
  standing.missing = {call.peer};
  auto &snapshots = channels[size_t(call.channel)].snapshots;
  auto theirs = std::ranges::find_if(snapshots, [&](const Snapshot &each) {
    return each.from == call.peer && each.to == call.rank &&
           each.tag == call.number;
  });
  if (!future.tooLate && theirs != snapshots.end()) {
    if (!(theirs->message->shape == future.shape)) {
      standing.failure = otherTypes(call);
      return;
    }
    Kept &message = *theirs->message;
    if (!message.arrives)
      message.arrives = links.send(call.peer, call.rank,
                                   std::max(future.started, message.sent),
                                   future.shape.bytes());
    standing.ready = true;
    standing.readyAt = message.arrives;
    standing.kept = theirs->message;
    return;
  }
  Life life = ranks[size_t(call.peer)].life;
  if (life != Life::Alive)
    standing.failure = peerGone(call, life == Life::Lost);
}

/// What was awaited is not needed by this member any more.
void ThreadFabric::taken(const Future &future) {
  const CallId &call = future.call;
  Channel &channel = channels[size_t(call.channel)];
  if (call.kind == Kind::Exchange) {
    auto theirs =
        std::ranges::find_if(channel.snapshots, [&](const Snapshot &each) {
          return each.from == call.peer && each.to == call.rank &&
                 each.tag == call.number;
        });
    if (theirs != channel.snapshots.end())
      channel.snapshots.erase(theirs);
  } else if (call.kind != Kind::Pull) {
    if (++channel.meetings[call.number].taken == memberCount)
      channel.meetings.erase(call.number);
  }
}

} // namespace rubato
