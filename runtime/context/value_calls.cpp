// The C functions of programs that move values: futures and mailboxes. Ranges
// become parts; the environment does the rest.
#include "context/context_impl.h"
#include "support/processor_meter.h"

using namespace rubato;

namespace {

/// One call under way on a channel of a certain kind.
class ChannelCall {
public:
  ChannelCall(rb_ctx *ctx, const char *name) : ctx(ctx), name(name) {
    spend(Spending::Rest);
  }

  void refuse(const std::string &why) {
    if (good)
      refuseCall(ctx, std::string(name) + ": " + why);
    good = false;
  }

  void needsChannel(int32_t channel, const char *kind) {
    const auto &channels = ctx->unit.program.channels;
    if (!good)
      return;
    if (channel < 0 || static_cast<size_t>(channel) >= channels.size())
      refuse("there is no channel " + std::to_string(channel));
    else if (channels[static_cast<size_t>(channel)].kind != kind)
      refuse("channel '" + channels[static_cast<size_t>(channel)].name +
             "' is no " + kind);
  }

  void needsLane(int32_t lane) {
    if (!isLane(lane))
      refuse("there is no lane " + std::to_string(lane));
  }

  /// The ranges as parts, which lie in the strand until its next call. The
  /// memory of whole values may be taken, or be brought.
  Parts parts(const rb_range *ranges, int64_t count, bool brought = false,
              rb_lane lane = RB_COMPUTE) {
    if (!good)
      return {};
    ctx->parts.clear();
    if (count < 0)
      refuse("a negative number of values");
    for (int64_t i = 0; i < count && good; ++i) {
      const rb_range &range = ranges[i];
      if (!isRange(ctx, range)) {
        refuse("value " + std::to_string(i) + " is not a range of a region");
        break;
      }
      Part part{static_cast<rb_dtype>(range.dtype), range.count};
      if (range.region != RB_HOST)
        part.lane = ctx->device->lane(lane);
      if (isValue(ctx, range.region))
        prepareValue(range, brought, part);
      part.data =
          static_cast<char *>(ctx->regions[static_cast<size_t>(range.region)]) +
          range.offset;
      ctx->parts.push_back(part);
    }
    outs = brought ? std::span(ranges, static_cast<size_t>(count))
                   : std::span<const rb_range>();
    return ctx->parts;
  }

  /// It waits for others: the lanes shall not wait meanwhile.
  void waits() {
    if (good && ctx->device->flush() != RB_OK)
      good = false;
  }

  /// Runs `call` with the environment if nothing was wrong so far.
  template <typename Fn> int32_t run(Fn call) {
    if (!good)
      return RB_INVALID;
    int32_t status = finishCall(ctx, call(ctx->environment, ctx->caller));
    for (const rb_range &range : outs)
      if (isValue(ctx, range.region))
        valueArrived(ctx, range.region);
    return status;
  }

private:
  void prepareValue(const rb_range &range, bool brought, Part &part) {
    bool whole = isWholeValue(ctx, range.region, range.offset, bytesOf(part));
    bool shares = whole && ctx->environment.keepsBlocks();
    ValueState &value = valueState(ctx, range.region);
    // What is brought is shown where it lies; until then nothing is held.
    if (brought && shares)
      dropValue(ctx, range.region);
    else if (brought)
      renewValue(ctx, range.region, /*keep=*/!whole);
    // Of a cell that is looked at there must be a copy, before others can go on
    // and change it.
    else if (value.lock >= 0)
      renewValue(ctx, range.region, /*keep=*/true);
    if (shares)
      part.block = &value.block;
  }

  rb_ctx *ctx;
  const char *name;
  std::span<const rb_range> outs;
  bool good = true;
};

} // namespace

static int32_t startCollective(ChannelCall &call, Call kind, int32_t channel,
                               int64_t root, const rb_range *ins,
                               int64_t inCount, int64_t *future) {
  call.needsChannel(channel, "collective");
  Parts parts = call.parts(ins, inCount);
  return call.run([&](Environment &environment, const Caller &who) {
    return environment.start(who, {kind, channel, root, parts}, *future);
  });
}

int32_t rb_all_reduce(rb_ctx *ctx, int32_t channel, const rb_range *ins,
                      int64_t in_count, int64_t *future) {
  ChannelCall call(ctx, "rb_all_reduce");
  return startCollective(call, Call::AllReduce, channel, 0, ins, in_count,
                         future);
}

int32_t rb_broadcast(rb_ctx *ctx, int32_t channel, int64_t root,
                     const rb_range *ins, int64_t in_count, int64_t *future) {
  ChannelCall call(ctx, "rb_broadcast");
  return startCollective(call, Call::Broadcast, channel, root, ins, in_count,
                         future);
}

int32_t rb_exchange(rb_ctx *ctx, int32_t channel, int64_t peer, int64_t tag,
                    const rb_range *ins, int64_t in_count, int64_t *future) {
  ChannelCall call(ctx, "rb_exchange");
  call.needsChannel(channel, "pair");
  Parts parts = call.parts(ins, in_count);
  return call.run([&](Environment &environment, const Caller &who) {
    int64_t members = environment.members(who);
    if (peer < 0 || peer >= members || peer == environment.rank(who))
      return Status(ErrorCode::Internal,
                    "rank " + std::to_string(who.rank) +
                        " exchanges with rank " + std::to_string(peer) +
                        "; the other must be another of " +
                        std::to_string(members) + " members");
    return environment.exchange(who, {channel, peer, tag, parts}, *future);
  });
}

int32_t rb_pull(rb_ctx *ctx, int32_t channel, int64_t after, int64_t *future) {
  ChannelCall call(ctx, "rb_pull");
  call.needsChannel(channel, "mailbox");
  return call.run([&](Environment &environment, const Caller &who) {
    return environment.pull(who, channel, after, *future);
  });
}

int32_t rb_done(rb_ctx *ctx, int64_t future) {
  spend(Spending::Rest);
  return ctx->environment.done(ctx->caller, future);
}

int32_t rb_poll(rb_ctx *ctx, int64_t future, int32_t ahead, int32_t *done) {
  spend(Spending::Rest);
  if (ahead < 0)
    return refuseCall(ctx, "rb_poll: " + std::to_string(ahead) +
                               " bodies cannot be unfinished");
  if (rb_status status = ctx->device->waitForBodies(ahead))
    return status;
  *done = ctx->environment.done(ctx->caller, future);
  return RB_OK;
}

int32_t rb_body(rb_ctx *ctx) { return ctx->device->body(); }

int32_t rb_await(rb_ctx *ctx, int64_t future, const rb_range *outs,
                 int64_t out_count, int64_t first) {
  ChannelCall call(ctx, "rb_await");
  Parts parts = call.parts(outs, out_count, /*brought=*/true);
  call.waits();
  bool partly = first >= 0 && !parts.empty() && isValue(ctx, outs[0].region) &&
                future != 0;
  int32_t status = call.run([&](Environment &environment, const Caller &who) {
    return environment.await(who, future, parts, partly ? first : -1);
  });
  if (!parts.empty() && isValue(ctx, outs[0].region))
    valueState(ctx, outs[0].region).arriving =
        partly && status == RB_OK ? future : 0;
  return status;
}

int32_t rb_ready(rb_ctx *ctx, int32_t lane, int32_t channel,
                 const rb_range *operand, int64_t from, int64_t to,
                 double done) {
  ChannelCall call(ctx, "rb_ready");
  call.needsChannel(channel, "collective");
  call.needsLane(lane);
  Parts parts = call.parts(operand, 1, /*brought=*/false, rb_lane(lane));
  if (!parts.empty() && (from < 0 || from >= to || to > bytesOf(parts[0])))
    call.refuse("bytes " + std::to_string(from) + " to " + std::to_string(to) +
                " of an operand of " + std::to_string(bytesOf(parts[0])));
  return call.run([&](Environment &environment, const Caller &who) {
    return environment.ready(who, channel, parts[0], to, done);
  });
}

int32_t rb_arrive(rb_ctx *ctx, int32_t lane, int32_t value, int64_t bytes,
                  double done) {
  ChannelCall call(ctx, "rb_arrive");
  call.needsLane(lane);
  if (!isValue(ctx, value) || bytes < 0 || bytes > valueBytes(ctx, value))
    call.refuse("there is no value " + std::to_string(value - RB_FIRST_VALUE) +
                " of " + std::to_string(bytes) + " bytes");
  int64_t future = isValue(ctx, value) ? valueState(ctx, value).arriving : 0;
  if (future == 0)
    return call.run([](Environment &, const Caller &) { return Status::ok(); });
  if (bytes == valueBytes(ctx, value))
    valueState(ctx, value).arriving = 0;
  call.waits();
  return call.run([&](Environment &environment, const Caller &who) {
    return environment.arrive(who, future, bytes, done,
                              ctx->device->lane(rb_lane(lane)));
  });
}

int32_t rb_push(rb_ctx *ctx, int32_t channel, int64_t ticket,
                const rb_range *ins, int64_t in_count) {
  ChannelCall call(ctx, "rb_push");
  call.needsChannel(channel, "mailbox");
  Parts parts = call.parts(ins, in_count);
  return call.run([&](Environment &environment, const Caller &who) {
    return environment.push(who, channel, ticket, parts);
  });
}

int32_t rb_collect(rb_ctx *ctx, int32_t channel, int64_t first,
                   int32_t by_staleness, const rb_range *outs,
                   int64_t out_count, int64_t *who) {
  ChannelCall call(ctx, "rb_collect");
  call.needsChannel(channel, "mailbox");
  Parts parts = call.parts(outs, out_count, /*brought=*/true);
  call.waits();
  return call.run([&](Environment &environment, const Caller &caller) {
    return environment.collect(caller, channel, first, by_staleness != 0, parts,
                               *who);
  });
}

int32_t rb_grant(rb_ctx *ctx, int32_t channel, int32_t to_all, int64_t to,
                 int64_t stale_after, const rb_range *ins, int64_t in_count) {
  ChannelCall call(ctx, "rb_grant");
  call.needsChannel(channel, "mailbox");
  Parts parts = call.parts(ins, in_count);
  return call.run([&](Environment &environment, const Caller &who) {
    return environment.grant(who, channel, to_all != 0, to, stale_after, parts);
  });
}

int64_t rb_set_size(rb_ctx *ctx, int64_t set) {
  return ctx->environment.setSize(ctx->caller, set);
}

int32_t rb_close(rb_ctx *ctx, int32_t channel) {
  ChannelCall call(ctx, "rb_close");
  call.needsChannel(channel, "mailbox");
  call.waits();
  return call.run([&](Environment &environment, const Caller &who) {
    return environment.close(who, channel);
  });
}

int64_t rb_workers(rb_ctx *ctx, int32_t channel) {
  ChannelCall call(ctx, "rb_workers");
  call.needsChannel(channel, "mailbox");
  int64_t workers = 0;
  (void)call.run([&](Environment &environment, const Caller &who) {
    workers = environment.workers(who, channel);
    return Status::ok();
  });
  return workers;
}
