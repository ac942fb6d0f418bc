// The C functions that compiled code calls: check the arguments, then ask the
// device. The checks allocate nothing unless they fail.
#include "abi/context_impl.h"
#include "support/dtype.h"
#include "support/processor_meter.h"

using namespace rubato;

int32_t rubato::refuseCall(rb_ctx *ctx, const std::string &what) {
  std::string where = "rank " + std::to_string(ctx->options.rank);
  if (ctx->segment)
    where += std::string(", segment ") + ctx->segment;
  ctx->error = {ErrorCode::Internal,
                where + ": " + what + "; this is a bug of the compiler"};
  return RB_INVALID;
}

static bool isLane(int32_t lane) { return lane >= 0 && lane < RB_LANE_COUNT; }

static bool isEvent(const rb_ctx *ctx, int32_t event) {
  return event >= 0 && event < ctx->unit.events;
}

static bool isFuture(const rb_ctx *ctx, int32_t future) {
  return future >= 0 && future < ctx->unit.futures;
}

bool rubato::isInside(const rb_ctx *ctx, int32_t region, int64_t offset,
                      int64_t size) {
  if (!isValue(ctx, region) && (region < 0 || region >= RB_REGION_COUNT))
    return false;
  int64_t bytes = isValue(ctx, region) ? valueBytes(ctx, region)
                                       : ctx->unit.regionBytes[region];
  return offset >= 0 && size >= 0 && offset <= bytes && size <= bytes - offset;
}

bool rubato::isRange(const rb_ctx *ctx, const rb_range &range) {
  return isDtype(range.dtype) && range.count >= 0 &&
         range.count <= INT64_MAX / elementBytes(range.dtype) &&
         range.offset % elementBytes(range.dtype) == 0 &&
         isInside(ctx, range.region, range.offset,
                  range.count * elementBytes(range.dtype));
}

/// A typed range of the region that its role demands.
static bool isOperand(const rb_ctx *ctx, const rb_range &range,
                      rb_region region) {
  return range.region == region && isRange(ctx, range);
}

void *const *rb_regions(rb_ctx *ctx) { return ctx->regions.data(); }

int32_t rb_segment_begin(rb_ctx *ctx, const rb_segment_info *segment,
                         int32_t *replayed) {
  ctx->segment = segment->name;
  bool again = false;
  rb_status status = ctx->device->beginSegment(*segment, again);
  *replayed = again;
  if (again) // its end does not come
    ctx->segment = nullptr;
  return status;
}

int32_t rb_segment_end(rb_ctx *ctx) {
  rb_status status = ctx->device->endSegment();
  ctx->segment = nullptr;
  return status;
}

int32_t rb_launch(rb_ctx *ctx, int32_t lane, const rb_kernel *kernel,
                  void *const *args, int64_t lo, int64_t hi,
                  const rb_access *accesses, int64_t access_count) {
  if (lane != RB_COMPUTE)
    return refuseCall(ctx, "kernels run on the compute lane only");
  return ctx->device->launch(RB_COMPUTE, *kernel, args, lo, hi, accesses,
                             access_count);
}

int32_t rb_record(rb_ctx *ctx, int32_t lane, int32_t event) {
  if (!isLane(lane) || !isEvent(ctx, event))
    return refuseCall(ctx, "record of event " + std::to_string(event) +
                               " on lane " + std::to_string(lane));
  return ctx->device->record(static_cast<rb_lane>(lane), event);
}

int32_t rb_wait(rb_ctx *ctx, int32_t lane, int32_t event) {
  if (!isLane(lane) || !isEvent(ctx, event))
    return refuseCall(ctx, "wait for event " + std::to_string(event) +
                               " on lane " + std::to_string(lane));
  return ctx->device->wait(static_cast<rb_lane>(lane), event);
}

int32_t rb_query(rb_ctx *ctx, int32_t event) {
  // What does not exist counts as reached: a program that polls goes on to its
  // wait, which reports it.
  return !isEvent(ctx, event) || ctx->device->query(event);
}

int32_t rb_collective(rb_ctx *ctx, int32_t lane, int32_t kind, int32_t channel,
                      int64_t seq, const rb_range *ins, int64_t in_count,
                      const rb_range *outs, int64_t out_count, int32_t future) {
  auto refuse = [&](const std::string &why) {
    return refuseCall(ctx, "collective " + std::to_string(seq) +
                               " of channel " + std::to_string(channel) + ": " +
                               why);
  };
  if (lane != RB_COMM)
    return refuse("collectives run on the comm lane only");
  if (kind != RB_ALL_REDUCE_SUM)
    return refuse("unknown kind " + std::to_string(kind));
  if (channel < 0 || channel >= rb_ctx::maxChannels)
    return refuse("there are " + std::to_string(rb_ctx::maxChannels) +
                  " channels");
  if (!isFuture(ctx, future))
    return refuse("there is no future " + std::to_string(future));
  int64_t &last = ctx->lastSeq[static_cast<size_t>(channel)];
  if (seq != 0 && seq != last + 1)
    return refuse("it follows collective " + std::to_string(last) +
                  ", so its order is wrong");
  if (in_count != out_count || in_count < 0 || in_count > maxRanges)
    return refuse("it needs as many inputs as outputs, at most " +
                  std::to_string(maxRanges));
  for (int64_t i = 0; i < in_count; ++i) {
    if (!isOperand(ctx, ins[i], RB_SHARED))
      return refuse("input " + std::to_string(i) +
                    " is not a range of the shared region");
    if (!isOperand(ctx, outs[i], RB_RESULT))
      return refuse("output " + std::to_string(i) +
                    " is not a range of the result region");
    if (ins[i].dtype != outs[i].dtype || ins[i].count != outs[i].count)
      return refuse("input and output " + std::to_string(i) +
                    " differ in type or size");
  }
  last = seq;
  return ctx->device->collective({{channel, seq}, ins, outs, in_count}, future);
}

int32_t rb_future_done(rb_ctx *ctx, int32_t future) {
  return !isFuture(ctx, future) || ctx->device->futureDone(future);
}

int32_t rb_future_await(rb_ctx *ctx, int32_t future) {
  if (!isFuture(ctx, future))
    return refuseCall(ctx, "there is no future " + std::to_string(future));
  return ctx->device->futureAwait(future);
}

int32_t rb_read(rb_ctx *ctx, int32_t region, int64_t offset, void *to,
                int64_t size) {
  if (!isInside(ctx, region, offset, size))
    return refuseCall(ctx, "read outside a region");
  return ctx->device->read({static_cast<rb_region>(region), offset}, to, size);
}

int32_t rb_write(rb_ctx *ctx, int32_t region, int64_t offset, const void *from,
                 int64_t size) {
  if (!isInside(ctx, region, offset, size))
    return refuseCall(ctx, "write outside a region");
  if (region == RB_RESULT)
    return refuseCall(ctx, "the result region belongs to the whole group; only "
                           "collectives write to it");
  if (isValue(ctx, region))
    renewValue(ctx, region, /*keep=*/true);
  return ctx->device->write({static_cast<rb_region>(region), offset}, from,
                            size);
}

int32_t rb_copy(rb_ctx *ctx, int32_t to_region, int64_t to_offset,
                int32_t from_region, int64_t from_offset, int64_t size) {
  if (!isInside(ctx, to_region, to_offset, size) ||
      !isInside(ctx, from_region, from_offset, size))
    return refuseCall(ctx, "copy outside a region");
  if (to_region == RB_RESULT)
    return refuseCall(ctx, "only collectives write to the result region");
  bool whole = isWholeValue(ctx, to_region, to_offset, size);
  if (whole && isWholeValue(ctx, from_region, from_offset, size)) {
    shareValue(ctx, to_region, from_region);
    return RB_OK;
  }
  if (isValue(ctx, to_region))
    renewValue(ctx, to_region, /*keep=*/!whole);
  spend(Spending::Copies);
  return ctx->device->copy({static_cast<rb_region>(to_region), to_offset},
                           {static_cast<rb_region>(from_region), from_offset},
                           size);
}

int32_t rb_clear(rb_ctx *ctx, int32_t region, int64_t offset, int64_t size) {
  if (!isInside(ctx, region, offset, size))
    return refuseCall(ctx, "clearing outside a region");
  if (region == RB_RESULT)
    return refuseCall(ctx, "only collectives write to the result region");
  if (isValue(ctx, region))
    renewValue(ctx, region, !isWholeValue(ctx, region, offset, size));
  spend(Spending::Copies);
  return ctx->device->clear({static_cast<rb_region>(region), offset}, size);
}

/// What a round that is no strand's knows; it asks for nothing else.
static int64_t factOfRound(rb_ctx *ctx, Call call) {
  switch (call) {
  case Call::Members:
    return ctx->group->members();
  case Call::Rank:
    return ctx->options.rank;
  case Call::Quanta:
    return ctx->source->quanta();
  case Call::StopRequested:
    return ctx->options.stop && ctx->options.stop->load() != 0;
  default:
    refuseCall(ctx, std::string(callName(call)) +
                        " belongs to programs, and this unit is one round");
    return 0;
  }
}

#define RB_FACT(type, name, tag, method)                                       \
  type rb_##name(rb_ctx *ctx) {                                                \
    return ctx->strand ? ctx->strand->environment.method(ctx->strand->caller)  \
                       : static_cast<type>(factOfRound(ctx, Call::tag));       \
  }
#include "abi/calls.def"

int32_t rb_next_batch(rb_ctx *ctx) {
  return ctx->strand ? takeBatch(ctx, BatchRequest{})
                     : ctx->device->nextBatch(*ctx->source, ctx->buffers);
}
