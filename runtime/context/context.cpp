// Contexts: what they are made of, and their batches.
#include "context/context_impl.h"
#include "support/processor_meter.h"

#include <algorithm>

using namespace rubato;

rb_ctx::rb_ctx(const ContextSetup &setup)
    : unit(setup.unit), environment(setup.environment), caller(setup.caller),
      data(setup.data), looks(setup.looks), blocks(setup.blocks),
      regions(RB_REGION_COUNT + setup.unit.valueBytes.size()),
      values(setup.unit.valueBytes.size()),
      rows(static_cast<size_t>(setup.unit.quantum)) {
  std::copy_n(setup.regions, RB_REGION_COUNT, regions.begin());
  device = setup.device.strand({unit, regions.data(), setup.blocks,
                                setup.timeline, setup.timelineLane, error});
}

namespace rubato {

rb_ctx *makeContext(const ContextSetup &setup) { return new rb_ctx(setup); }

void destroyContext(rb_ctx *context) { delete context; }

void setRound(rb_ctx *context, int64_t round) {
  context->caller.round = round;
  context->error = Status::ok();
}

const Status &lastError(const rb_ctx *context) { return context->error; }

void *address(rb_ctx *context, Place place) {
  return static_cast<char *>(
             context->regions[static_cast<size_t>(place.region)]) +
         place.offset;
}

Status writeRows(rb_ctx *context, const Dataset &data,
                 std::span<const int64_t> rows) {
  if (rows.size() > static_cast<size_t>(context->unit.quantum))
    return {ErrorCode::Internal, "a batch of " + std::to_string(rows.size()) +
                                     " samples is larger than the quantum"};
  for (int64_t row : rows)
    if (row < 0 || row >= data.samples)
      return {ErrorCode::Internal,
              "row " + std::to_string(row) + " is not in a data set of " +
                  std::to_string(data.samples) + " samples"};
  spend(Spending::Batches);
  BatchWriter(context->unit, data).write(context->device->batch(), rows);
  return context->device->batchWritten() == RB_OK ? Status::ok()
                                                  : context->error;
}

Status takeBatch(rb_ctx *ctx, const BatchRequest &request) {
  int64_t count = 0;
  RB_TRY(ctx->environment.nextBatch(ctx->caller, request, ctx->rows, count));
  if (count < 0) // nobody will read it
    return Status::ok();
  if (!ctx->data)
    return {ErrorCode::Internal, "rank " + std::to_string(ctx->caller.rank) +
                                     " takes a batch, but has no data"};
  count = std::min(count, ctx->unit.quantum);
  return writeRows(ctx, *ctx->data,
                   std::span(ctx->rows).first(static_cast<size_t>(count)));
}

rb_status statusOf(const Status &error) {
  switch (error.code()) {
  case ErrorCode::Ok:
    return RB_OK;
  case ErrorCode::Again:
    return RB_AGAIN;
  case ErrorCode::Communication:
    return RB_PEER_LOST;
  case ErrorCode::User:
    return RB_DATA;
  default:
    return RB_INVALID;
  }
}

} // namespace rubato
