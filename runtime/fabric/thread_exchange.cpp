// The reference transport: collectives and pairs. The last member to post
// adds up; the sum is short of nothing but time, which the reference has.
#include "fabric/thread_fabric.h"

#include <algorithm>

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

Status ThreadFabric::post(const CallId &as, Parts ins, int64_t &future) {
  CallId call = as;
  RB_TRY(checkCall(call, bytesOf(ins)));
  Lock lock(mutex);
  Channel &channel = channels[size_t(call.channel)];
  call.number = channel.posted[size_t(call.rank)] + 1;
  RB_TRY(checkAlive(call));
  Member &member = ranks[size_t(call.rank)];
  reap(member);
  if (std::ranges::count_if(member.futures, [&](const auto &each) {
        return each.second.call.channel == call.channel;
      }) >= maxInFlight)
    return tooMany(call);
  ++channel.posted[size_t(call.rank)];
  Meeting &meeting = channel.meetings[call.number];
  meeting.posts.resize(size_t(memberCount));
  Meeting::Post &mine = meeting.posts[size_t(call.rank)].emplace();
  mine.call = call;
  mine.message.shape = shapeOf(ins);
  mine.message.sent = steadyNow();
  mine.message.data.resize(size_t(mine.message.shape.bytes()));
  pack(ins, mine.message.data.data());
  future =
      addFuture({call, mine.message.shape, mine.message.sent, 0, false, false});
  if (++meeting.arrived < memberCount)
    return Status::ok();

  changed.notify_all();
  std::vector<const char *> messages;
  for (const auto &each : meeting.posts) {
    if (each->call.kind != call.kind || each->call.peer != call.peer ||
        !(each->message.shape == mine.message.shape))
      return Status::ok(); // everybody finds out in look()
    if (call.kind == Kind::AllReduce || each->call.rank == call.peer)
      messages.push_back(each->message.data.data());
  }
  for (int rank = 0; rank < memberCount; ++rank)
    meeting.arrives.push_back(arrival(meeting.posts[size_t(rank)]->call,
                                      mine.message.sent,
                                      mine.message.shape.bytes()));
  meeting.result.resize(mine.message.data.size());
  sumMessages(mine.message.shape, messages, meeting.result.data(), 0,
              mine.message.shape.bytes());
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
        !(post->message.shape == future.shape)) {
      standing.failure =
          disagree(call, future.shape, post->call, post->message.shape);
      return;
    }
  standing.ready = true;
  standing.readyAt = meeting.arrives[size_t(call.rank)];
  standing.data = meeting.result.data();
  standing.shape = future.shape;
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
  Snapshot mine{rank, peer, tag, {shapeOf(ins), steadyNow(), 0, {}}};
  future =
      addFuture({call, mine.message.shape, mine.message.sent, 0, dead, false});
  if (dead)
    return Status::ok();
  mine.message.data.resize(size_t(mine.message.shape.bytes()));
  pack(ins, mine.message.data.data());
  channels[size_t(channel)].snapshots.push_back(std::move(mine));
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
    if (!(theirs->message.shape == future.shape)) {
      standing.failure = otherTypes(call);
      return;
    }
    Message &message = theirs->message;
    if (!message.arrives)
      message.arrives = links.send(call.peer, call.rank,
                                   std::max(future.started, message.sent),
                                   future.shape.bytes());
    standing.ready = true;
    standing.readyAt = message.arrives;
    standing.data = theirs->message.data.data();
    standing.shape = future.shape;
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
