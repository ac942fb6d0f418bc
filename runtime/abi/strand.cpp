// Contexts of strands: what they are made of, their batches and the work of
// synchronous rounds.
#include "abi/context_impl.h"
#include "data/sources.h"
#include "support/processor_meter.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace rubato {

Status Strand::beginWork(const char *name) {
  RB_TRY(endWork());
  working = name;
  return environment.work(caller, name, true);
}

Status Strand::endWork() {
  const char *name = std::exchange(working, nullptr);
  return name ? environment.work(caller, name, false) : Status::ok();
}

/// What the one atomic of a synchronous round changes, in its order.
static std::string updatesOf(const Unit &unit) {
  std::string names;
  for (const char *role : {"parameter", "optimizer", "counter"})
    for (const Cell &cell : unit.cells)
      if (cell.role == role)
        names += (names.empty() ? "" : " ") + cell.name;
  return names;
}

rb_ctx *makeStrandContext(const StrandSetup &setup) {
  ContextOptions options;
  options.rank = setup.caller.rank;
  options.timeline = setup.timeline;
  options.timelineLane = setup.timelineLane;
  auto context = std::make_unique<rb_ctx>(setup.unit, options);
  auto quantum = static_cast<size_t>(setup.unit.quantum);
  context->strand =
      std::make_unique<Strand>(Strand{.environment = setup.environment,
                                      .caller = setup.caller,
                                      .data = setup.data,
                                      .synchronous = setup.synchronous,
                                      .updates = updatesOf(setup.unit),
                                      .looks = setup.looks,
                                      .blocks = setup.blocks,
                                      .rows = std::vector<int64_t>(quantum),
                                      .parts = {}});
  std::copy_n(setup.regions, RB_REGION_COUNT, context->regions.begin());
  locateBuffers(*context);
  context->device =
      makeStrandDevice({setup.unit, context->regions.data(), context->options,
                        context->error, nullptr, context->strand.get()});
  return context.release();
}

void setRound(rb_ctx *context, int64_t round) {
  context->strand->caller.round = round;
  context->strand->taken = 0;
  context->strand->batches = 0;
  context->strand->working = nullptr;
  context->error = Status::ok();
}

Status endRound(rb_ctx *context) {
  Strand &strand = *context->strand;
  if (!strand.synchronous)
    return Status::ok();
  RB_TRY(strand.endWork());
  // The mean of the round is all that is known, so it is everybody's.
  int64_t samples = 0;
  double loss = 0;
  std::memcpy(&samples, address(context, context->unit.roundSamples),
              sizeof samples);
  std::memcpy(&loss, address(context, context->unit.roundLoss), sizeof loss);
  if (samples > 0)
    strand.environment.computed(strand.caller, strand.taken,
                                loss * static_cast<double>(strand.taken) /
                                    static_cast<double>(samples));
  return Status::ok();
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
  BatchWriter(context->unit, data).write(context->buffers, rows);
  return Status::ok();
}

/// The batch itself; its error is the context's.
static Status nextRows(rb_ctx *context, const BatchRequest &request) {
  spend(Spending::Rest);
  Strand &strand = *context->strand;
  if (!strand.data)
    return {ErrorCode::Internal, "rank " + std::to_string(strand.caller.rank) +
                                     " takes a batch, but has no data"};
  if (strand.synchronous) {
    RB_TRY(strand.endWork());
    // All but the last are a repeat of their own.
    if (++strand.batches == strand.environment.quanta(strand.caller))
      strand.environment.repeated(strand.caller, strand.batches - 1);
  }
  int64_t count = 0;
  RB_TRY(
      strand.environment.nextBatch(strand.caller, request, strand.rows, count));
  count = std::clamp<int64_t>(count, 0, context->unit.quantum);
  RB_TRY(writeRows(context, *strand.data,
                   std::span(strand.rows).first(static_cast<size_t>(count))));
  strand.taken += count;
  return strand.synchronous ? strand.beginWork("gradient") : Status::ok();
}

int32_t takeBatch(rb_ctx *ctx, const BatchRequest &request) {
  Status status = nextRows(ctx, request);
  if (status)
    return RB_OK;
  ctx->error = std::move(status);
  return statusOf(ctx->error);
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
