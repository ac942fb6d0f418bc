// The values of a strand: regions whose memory comes and goes.
#include "context/values.h"

#include "context/context_impl.h"
#include "support/processor_meter.h"

namespace rubato {

void Looks::remove(rb_ctx *ctx, int32_t value) {
  std::erase_if(all, [&](const Look &look) {
    return look.ctx == ctx && look.value == value;
  });
}

void Looks::settle(int32_t lock) {
  for (size_t i = 0; i < all.size();)
    if (all[i].lock == lock)
      renewValue(all[i].ctx, all[i].value, /*keep=*/true); // which removes it
    else
      ++i;
}

bool isValue(const rb_ctx *ctx, int32_t region) {
  return region >= RB_FIRST_VALUE &&
         static_cast<size_t>(region - RB_FIRST_VALUE) < ctx->values.size();
}

int64_t valueBytes(const rb_ctx *ctx, int32_t region) {
  return ctx->unit.valueBytes[static_cast<size_t>(region - RB_FIRST_VALUE)];
}

bool isWholeValue(const rb_ctx *ctx, int32_t region, int64_t offset,
                  int64_t size) {
  return isValue(ctx, region) && offset == 0 && size == valueBytes(ctx, region);
}

ValueState &valueState(rb_ctx *ctx, int32_t region) {
  return ctx->values[static_cast<size_t>(region - RB_FIRST_VALUE)];
}

static void show(rb_ctx *ctx, int32_t region, void *data) {
  ctx->regions[static_cast<size_t>(region)] = data;
}

static void forgetLook(rb_ctx *ctx, int32_t region) {
  ValueState &value = valueState(ctx, region);
  if (value.lock >= 0)
    ctx->looks->remove(ctx, region);
  value.lock = -1;
}

void valueArrived(rb_ctx *ctx, int32_t region) {
  const SharedBlock &block = valueState(ctx, region).block;
  show(ctx, region, block ? block->data : nullptr);
}

void renewValue(rb_ctx *ctx, int32_t region, bool keep) {
  ValueState &value = valueState(ctx, region);
  if (value.lock < 0 && isWritable(value.block))
    return;
  const void *old = ctx->regions[static_cast<size_t>(region)];
  int64_t bytes = valueBytes(ctx, region);
  SharedBlock fresh = ctx->device->take(bytes);
  if (keep && old) {
    SpendingBlock spending(Spending::Copies);
    ctx->device->copyBlock(fresh->data, old, fresh->bytes);
  }
  forgetLook(ctx, region);
  value.block = std::move(fresh);
  valueArrived(ctx, region);
}

void dropValue(rb_ctx *ctx, int32_t region) {
  forgetLook(ctx, region);
  valueState(ctx, region).block.reset();
  valueArrived(ctx, region);
}

void shareValue(rb_ctx *ctx, int32_t to, int32_t from) {
  if (to == from)
    return;
  const ValueState &source = valueState(ctx, from);
  dropValue(ctx, to);
  if (source.lock >= 0) {
    valueState(ctx, to).lock = source.lock;
    ctx->looks->add(ctx, to, source.lock);
    show(ctx, to, ctx->regions[static_cast<size_t>(from)]);
    return;
  }
  valueState(ctx, to).block = source.block;
  valueArrived(ctx, to);
}

} // namespace rubato

using namespace rubato;

static int32_t noValue(rb_ctx *ctx, int32_t value) {
  return refuseCall(ctx, "there is no value " +
                             std::to_string(value - RB_FIRST_VALUE));
}

int32_t rb_renew(rb_ctx *ctx, int32_t value, int32_t keep) {
  if (!isValue(ctx, value))
    return noValue(ctx, value);
  renewValue(ctx, value, keep != 0);
  return RB_OK;
}

int32_t rb_drop(rb_ctx *ctx, int32_t value) {
  if (!isValue(ctx, value))
    return noValue(ctx, value);
  dropValue(ctx, value);
  return RB_OK;
}

int32_t rb_look(rb_ctx *ctx, int32_t value, int32_t region, int64_t offset,
                int32_t lock) {
  if (!isValue(ctx, value))
    return noValue(ctx, value);
  if (isValue(ctx, region) || region == RB_HOST ||
      !isInside(ctx, region, offset, valueBytes(ctx, value)))
    return refuseCall(ctx, "look outside a region");
  char *cell =
      static_cast<char *>(ctx->regions[static_cast<size_t>(region)]) + offset;
  if (ctx->looks && ctx->environment.takesTurns()) {
    dropValue(ctx, value);
    valueState(ctx, value).lock = lock;
    ctx->looks->add(ctx, value, lock);
    show(ctx, value, cell);
    return RB_OK;
  }
  renewValue(ctx, value, /*keep=*/false);
  const SharedBlock &block = valueState(ctx, value).block;
  ctx->device->copyBlock(block->data, cell, block->bytes);
  if (ctx->blocks)
    ctx->blocks->copiedCell(block->bytes);
  return RB_OK;
}
