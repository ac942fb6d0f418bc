// Making and unmaking a worker's context.
#include "abi/cells.h"
#include "abi/context_impl.h"

namespace rubato {

void locateBuffers(rb_ctx &context) {
  auto addressOf = [&](const BatchBuffer &buffer) {
    return address(&context, buffer.place());
  };
  const Unit &unit = context.unit;
  for (const BatchBuffer &buffer : unit.inputs)
    context.buffers.inputs.push_back(addressOf(buffer));
  for (const BatchBuffer &buffer : unit.labels)
    context.buffers.labels.push_back(addressOf(buffer));
  context.buffers.weights = addressOf(unit.weights);
  context.buffers.ids = static_cast<int64_t *>(addressOf(unit.ids));
}

static Status setUp(rb_ctx &context) {
  const Unit &unit = context.unit;
  Group &group = *context.group;
  int rank = context.options.rank;
  if (rank < 0 || rank >= group.members())
    return {ErrorCode::Internal, "rank " + std::to_string(rank) +
                                     " is not in a group of " +
                                     std::to_string(group.members())};
  if (unit.regionBytes[RB_SHARED] > group.sharedBytes() ||
      unit.regionBytes[RB_RESULT] > group.resultBytes())
    return {ErrorCode::Internal,
            "the group's memory is smaller than the unit's regions"};

  RB_TRY(Memory::privateMemory(unit.regionBytes[RB_PRIVATE],
                               "memory of a worker", context.privateMemory));
  context.regions[RB_PRIVATE] = context.privateMemory.data();
  context.regions[RB_SHARED] = group.shared(rank);
  context.regions[RB_RESULT] = group.result();
  RB_TRY(Memory::privateMemory(unit.regionBytes[RB_SCRATCH],
                               "scratch memory of a worker",
                               context.scratchMemory));
  context.regions[RB_SCRATCH] = context.scratchMemory.data();

  locateBuffers(context);
  DeviceSetup setup{
      unit,   context.regions.data(), context.options, context.error, &group,
      nullptr};
  if (context.options.device == DeviceKind::Trace)
    return makeTraceDevice(setup, context.device); // nothing reads the cells
  RB_TRY(initialiseCells(unit, context.regions.data()));
  return makeCpuDevice(setup, context.device);
}

Status makeContext(const Unit &unit, Group &group, BatchSource &source,
                   const ContextOptions &options, rb_ctx *&context) {
  auto made = std::make_unique<rb_ctx>(unit, options);
  made->group = &group;
  made->source = &source;
  RB_TRY(setUp(*made));
  context = made.release();
  return Status::ok();
}

void destroyContext(rb_ctx *context) { delete context; }

void setBatchSource(rb_ctx *context, BatchSource &source) {
  context->source = &source;
}

const Status &lastError(const rb_ctx *context) { return context->error; }

void *address(rb_ctx *context, Place place) {
  return static_cast<char *>(
             context->regions[static_cast<size_t>(place.region)]) +
         place.offset;
}

} // namespace rubato
