#include "device/staged_fabric.h"

#include "fabric/message.h"

#include <algorithm>

namespace rubato {

StagedFabric::StagedFabric(Fabric &inner, int rank, int count)
    : inner(inner), rank(rank) {
  for (int i = 0; i < count; ++i)
    channels.push_back(std::make_unique<Channel>());
}

//===----------------------------------------------------------------------===//
// From the device
//===----------------------------------------------------------------------===//

void StagedFabric::fetchPart(const Part &part, Stage &stage, Channel *channel) {
  Part near{part.dtype, part.count, part.data, part.block};
  if (!part.lane || part.count == 0) {
    stage.parts.push_back(near);
    return;
  }
  int64_t bytes = bytesOf(part), from = 0;
  char *to = nullptr;
  if (part.block && *part.block) {
    bool begun = channel && channel->early && channel->from == *part.block;
    if (begun)
      from = channel->gathered;
    stage.blocks.push_back(begun ? channel->early
                                 : inner.blocks(rank).take(bytes));
    stage.held.push_back(*part.block);
    near.block = &stage.blocks.back();
    to = stage.blocks.back()->data;
  } else {
    stage.numbers.emplace_back(static_cast<size_t>(bytes));
    near.block = nullptr;
    to = stage.numbers.back().data();
  }
  near.data = to;
  if (from < bytes)
    stage.points.push_back(
        {part.lane,
         part.lane->fetch(to + from, dataOf(part) + from, bytes - from)});
  stage.parts.push_back(near);
}

StagedFabric::SharedStage StagedFabric::fetch(Parts ins, Channel *channel) {
  auto stage = std::make_shared<Stage>();
  stage->blocks.reserve(ins.size()); // parts point to them
  for (const Part &part : ins)
    fetchPart(part, *stage, &part == ins.data() ? channel : nullptr);
  return stage;
}

void StagedFabric::enqueue(int channel, Request request) {
  Channel &its = *channels[static_cast<size_t>(channel)];
  std::lock_guard lock(its.mutex);
  its.requests.push_back(std::move(request));
}

Status StagedFabric::failure() {
  std::lock_guard lock(mutex);
  return failed;
}

/// In order; as far as the lanes have come, or waiting for them.
Status StagedFabric::passOn(Channel &channel, bool waits) {
  std::unique_lock lock(channel.mutex, std::defer_lock);
  if (waits)
    lock.lock();
  else if (!lock.try_lock()) // then somebody is at it
    return Status::ok();
  while (!channel.requests.empty()) {
    Request &first = channel.requests.front();
    for (const Point &point : first.stage->points) {
      if (waits)
        RB_TRY(point.wait());
      else if (!point.reached())
        return Status::ok();
    }
    Status status = first.ask(first.stage->parts);
    channel.requests.pop_front();
    if (!status) {
      std::lock_guard guard(mutex);
      if (failed)
        failed = std::move(status);
    }
  }
  return Status::ok();
}

Status StagedFabric::passOn(bool all) {
  for (auto &channel : channels)
    RB_TRY(passOn(*channel, /*waits=*/all));
  std::vector<Kept> over; // outlives the lock
  std::lock_guard lock(mutex);
  for (size_t i = 0; i < kept.size();) {
    if (!kept[i].until.isPast()) {
      ++i;
      continue;
    }
    over.push_back(std::move(kept[i]));
    kept[i] = std::move(kept.back());
    kept.pop_back();
  }
  // Whoever waits for others shall know that they wait for nothing.
  return all ? failed : Status::ok();
}

Status StagedFabric::ready(int, int channel, const Part &operand,
                           int64_t bytes) {
  if (!operand.lane || !isChannel(channel))
    return inner.ready(rank, channel, operand, bytes);
  RB_TRY(failure());
  if (!operand.block) // it will be copied: the start says all
    return Status::ok();
  Channel &its = *channels[static_cast<size_t>(channel)];
  // Said of another value, or anew: the reduction before was never started.
  if (its.from != *operand.block || bytes <= its.gathered) {
    its.early = inner.blocks(rank).take(bytesOf(operand));
    its.from = *operand.block;
    its.gathered = 0;
  }
  auto stage = std::make_shared<Stage>();
  stage->blocks.push_back(its.early);
  stage->held.push_back(*operand.block);
  stage->points.push_back(
      {operand.lane, operand.lane->fetch(its.early->data + its.gathered,
                                         dataOf(operand) + its.gathered,
                                         bytes - its.gathered)});
  stage->parts.push_back(
      {operand.dtype, operand.count, its.early->data, &stage->blocks.back()});
  its.gathered = bytes;
  enqueue(channel, {stage, [this, channel, bytes](Parts ins) {
                      return inner.ready(rank, channel, ins[0], bytes);
                    }});
  return passOn();
}

Status
StagedFabric::startWith(int channel, Parts ins, int64_t &future,
                        std::function<Status(Parts ins, int64_t &future)> ask,
                        Channel *early) {
  if (!isChannel(channel)) // the inner fabric says what is wrong with it
    return ask({}, future);
  RB_TRY(failure());
  auto made = std::make_shared<Future>();
  made->channel = channel;
  {
    std::lock_guard lock(mutex);
    future = ++last;
    futures[future] = made;
  }
  SharedStage stage = fetch(ins, early);
  if (early) {
    early->early.reset();
    early->from.reset();
    early->gathered = 0;
  }
  enqueue(channel, {stage, [this, made, ask = std::move(ask)](Parts parts) {
                      int64_t number = 0;
                      Status status = ask(parts, number);
                      std::lock_guard lock(mutex);
                      made->number = number;
                      made->failed = std::move(status);
                      if (made->cancelled && made->failed)
                        inner.cancel(rank, number);
                      return Status::ok(); // whoever awaits it is told
                    }});
  return passOn();
}

Status StagedFabric::startAllReduce(int, int channel, Parts ins,
                                    int64_t &future) {
  return startWith(
      channel, ins, future,
      [this, channel](Parts parts, int64_t &number) {
        return inner.startAllReduce(rank, channel, parts, number);
      },
      isChannel(channel) ? channels[static_cast<size_t>(channel)].get()
                         : nullptr);
}

Status StagedFabric::startBroadcast(int, int channel, int root, Parts ins,
                                    int64_t &future) {
  return startWith(channel, ins, future,
                   [this, channel, root](Parts parts, int64_t &number) {
                     return inner.startBroadcast(rank, channel, root, parts,
                                                 number);
                   });
}

Status StagedFabric::startExchange(int, int channel, int peer, int64_t tag,
                                   Parts ins, int64_t &future) {
  return startWith(channel, ins, future,
                   [this, channel, peer, tag](Parts parts, int64_t &number) {
                     return inner.startExchange(rank, channel, peer, tag, parts,
                                                number);
                   });
}

Status StagedFabric::startPull(int, int channel, int64_t after,
                               int64_t &future) {
  return startWith(channel, {}, future,
                   [this, channel, after](Parts, int64_t &number) {
                     return inner.startPull(rank, channel, after, number);
                   });
}

Status StagedFabric::push(int, int channel, int64_t ticket, Parts ins) {
  if (!isChannel(channel))
    return inner.push(rank, channel, ticket, {});
  RB_TRY(failure());
  enqueue(channel, {fetch(ins), [this, channel, ticket](Parts parts) {
                      return inner.push(rank, channel, ticket, parts);
                    }});
  return passOn();
}

Status StagedFabric::grant(int, int channel, bool toAll, int64_t staleAfter,
                           Parts ins, Granted &granted) {
  RB_TRY(passOn(/*all=*/true));
  SharedStage stage = fetch(ins);
  for (const Point &point : stage->points)
    RB_TRY(point.wait());
  return inner.grant(rank, channel, toAll, staleAfter, stage->parts, granted);
}

//===----------------------------------------------------------------------===//
// To the device
//===----------------------------------------------------------------------===//

Status StagedFabric::find(int64_t future, std::shared_ptr<Future> &found) {
  std::lock_guard lock(mutex);
  auto at = futures.find(future);
  if (at == futures.end())
    return {ErrorCode::Internal,
            "rank " + std::to_string(rank) + " waits for future " +
                std::to_string(future) + ", which it has not"};
  found = at->second;
  return Status::ok();
}

void StagedFabric::forget(int64_t future) {
  std::lock_guard lock(mutex);
  futures.erase(future);
}

void StagedFabric::keep(Kept what) {
  std::lock_guard lock(mutex);
  kept.push_back(std::move(what));
}

/// Where the inner fabric puts what is to be brought to a device.
StagedFabric::SharedStage StagedFabric::stageFor(Parts outs) {
  auto stage = std::make_shared<Stage>();
  stage->blocks.resize(outs.size());
  for (size_t i = 0; i != outs.size(); ++i) {
    Part part{outs[i].dtype, outs[i].count, outs[i].data, outs[i].block};
    if (outs[i].lane && outs[i].block) {
      part.data = nullptr;
      part.block = &stage->blocks[i];
    } else if (outs[i].lane) {
      stage->numbers.emplace_back(static_cast<size_t>(bytesOf(part)));
      part.data = stage->numbers.back().data();
    }
    stage->parts.push_back(part);
  }
  return stage;
}

/// With `first` at least 0 so many bytes of the first part.
void StagedFabric::bring(Parts outs, const SharedStage &stage, int64_t first,
                         Future *arriving) {
  for (size_t i = 0; i != outs.size(); ++i) {
    const Part &out = outs[i];
    if (!out.lane || out.count == 0)
      continue;
    const char *from = dataOf(stage->parts[i]);
    int64_t bytes = bytesOf(out);
    void *to = out.data;
    if (out.block) {
      *out.block = out.lane->take(bytes);
      to = (*out.block)->data;
    }
    if (i == 0 && first >= 0 && first < bytes && arriving && out.block) {
      arriving->near = stage->blocks[0];
      arriving->far = *out.block;
      bytes = first;
    }
    Lane::Ticket ticket = out.lane->bring(to, from, bytes);
    keep({{out.lane, ticket}, stage, {}});
  }
}

bool StagedFabric::done(int, int64_t future) {
  std::shared_ptr<Future> its;
  if (!passOn() || !find(future, its))
    return true;
  int64_t number = 0;
  {
    std::lock_guard lock(mutex);
    if (!its->failed)
      return true;
    number = its->number;
  }
  // While somebody is at the channel, it is not known.
  std::unique_lock lock(channels[static_cast<size_t>(its->channel)]->mutex,
                        std::try_to_lock);
  return number != 0 && lock && inner.done(rank, number);
}

Status StagedFabric::awaitFirst(int, int64_t future, Parts outs, int64_t first,
                                Deadline deadline) {
  std::shared_ptr<Future> its;
  RB_TRY(find(future, its));
  RB_TRY(passOn(/*all=*/true));
  if (!its->failed) {
    forget(future);
    return its->failed;
  }
  SharedStage stage = stageFor(outs);
  Status status =
      inner.awaitFirst(rank, its->number, stage->parts, first, deadline);
  if (status)
    bring(outs, stage, first, its.get());
  its->brought = first;
  its->bytes = outs.empty() ? 0 : bytesOf(outs[0]);
  if (!status || first < 0)
    forget(future);
  return status;
}

Status StagedFabric::arrive(int, int64_t future, int64_t bytes,
                            Deadline deadline, Lane *lane) {
  std::shared_ptr<Future> its;
  RB_TRY(find(future, its));
  RB_TRY(inner.arrive(rank, its->number, bytes, deadline));
  if (its->far && bytes > its->brought) {
    Lane::Ticket ticket =
        lane->bring(its->far->data + its->brought,
                    its->near->data + its->brought, bytes - its->brought);
    keep({{lane, ticket}, nullptr, its->near});
  }
  its->brought = std::max(its->brought, bytes);
  if (bytes >= its->bytes)
    forget(future);
  return Status::ok();
}

void StagedFabric::cancel(int, int64_t future) {
  std::shared_ptr<Future> its;
  if (!find(future, its))
    return;
  forget(future);
  std::lock_guard lock(mutex);
  its->cancelled = true;
  if (its->number != 0)
    inner.cancel(rank, its->number);
}

Status StagedFabric::collect(int, int channel, int64_t first, bool byStaleness,
                             Parts outs, Collected &collected,
                             Deadline deadline) {
  RB_TRY(passOn(/*all=*/true));
  SharedStage stage = stageFor(outs);
  RB_TRY(inner.collect(rank, channel, first, byStaleness, stage->parts,
                       collected, deadline));
  bring(outs, stage, -1, nullptr);
  return Status::ok();
}

} // namespace rubato
