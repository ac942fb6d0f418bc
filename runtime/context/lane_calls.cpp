// The C functions that compiled code calls: check the arguments, then ask the
// device. The checks allocate nothing unless they fail.
#include "context/context_impl.h"
#include "support/dtype.h"
#include "support/processor_meter.h"

#include <cstring>

using namespace rubato;

int32_t rubato::refuseCall(rb_ctx *ctx, const std::string &what) {
  std::string where = "rank " + std::to_string(ctx->caller.rank);
  if (ctx->segment)
    where += std::string(", segment ") + ctx->segment;
  ctx->error = {ErrorCode::Internal,
                where + ": " + what + "; this is a bug of the compiler"};
  return RB_INVALID;
}

int32_t rubato::finishCall(rb_ctx *ctx, Status status) {
  if (status)
    return RB_OK;
  ctx->error = std::move(status);
  return statusOf(ctx->error);
}

static bool isEvent(const rb_ctx *ctx, int32_t event) {
  return event >= 0 && event < ctx->unit.events;
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

/// Numbers of the host, which no lane touches.
static char *onHost(rb_ctx *ctx, int64_t offset) {
  return static_cast<char *>(ctx->regions[RB_HOST]) + offset;
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

int32_t rb_read(rb_ctx *ctx, int32_t region, int64_t offset, void *to,
                int64_t size) {
  if (!isInside(ctx, region, offset, size))
    return refuseCall(ctx, "read outside a region");
  if (region == RB_HOST) {
    std::memcpy(to, onHost(ctx, offset), static_cast<size_t>(size));
    return RB_OK;
  }
  return ctx->device->read({static_cast<rb_region>(region), offset}, to, size);
}

int32_t rb_write(rb_ctx *ctx, int32_t region, int64_t offset, const void *from,
                 int64_t size) {
  if (!isInside(ctx, region, offset, size))
    return refuseCall(ctx, "write outside a region");
  if (isValue(ctx, region))
    renewValue(ctx, region, /*keep=*/true);
  if (region == RB_HOST) {
    std::memcpy(onHost(ctx, offset), from, static_cast<size_t>(size));
    return RB_OK;
  }
  return ctx->device->write({static_cast<rb_region>(region), offset}, from,
                            size);
}

int32_t rb_copy(rb_ctx *ctx, int32_t to_region, int64_t to_offset,
                int32_t from_region, int64_t from_offset, int64_t size) {
  if (!isInside(ctx, to_region, to_offset, size) ||
      !isInside(ctx, from_region, from_offset, size))
    return refuseCall(ctx, "copy outside a region");
  bool whole = isWholeValue(ctx, to_region, to_offset, size);
  if (whole && isWholeValue(ctx, from_region, from_offset, size)) {
    shareValue(ctx, to_region, from_region);
    return RB_OK;
  }
  if (isValue(ctx, to_region))
    renewValue(ctx, to_region, /*keep=*/!whole);
  spend(Spending::Copies);
  // Between the host and a device: reads wait, writes do not.
  if (to_region == RB_HOST)
    return rb_read(ctx, from_region, from_offset, onHost(ctx, to_offset), size);
  if (from_region == RB_HOST)
    return rb_write(ctx, to_region, to_offset, onHost(ctx, from_offset), size);
  return ctx->device->copy({static_cast<rb_region>(to_region), to_offset},
                           {static_cast<rb_region>(from_region), from_offset},
                           size);
}

int32_t rb_clear(rb_ctx *ctx, int32_t region, int64_t offset, int64_t size) {
  if (!isInside(ctx, region, offset, size))
    return refuseCall(ctx, "clearing outside a region");
  if (isValue(ctx, region))
    renewValue(ctx, region, !isWholeValue(ctx, region, offset, size));
  spend(Spending::Copies);
  if (region == RB_HOST) {
    std::memset(onHost(ctx, offset), 0, static_cast<size_t>(size));
    return RB_OK;
  }
  return ctx->device->clear({static_cast<rb_region>(region), offset}, size);
}

#define RB_FACT(type, name, tag, method)                                       \
  type rb_##name(rb_ctx *ctx) { return ctx->environment.method(ctx->caller); }
#include "abi/calls.def"
