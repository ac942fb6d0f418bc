// The inside of rb_ctx, for the files that implement the ABI.
#pragma once

#include "abi/context.h"
#include "abi/strand.h"
#include "abi/values.h"
#include "device/device.h"
#include "support/memory.h"

#include <array>

namespace rubato {

/// The answer to a request that a correct compiler never makes.
int32_t refuseCall(rb_ctx *ctx, const std::string &what);

/// Whether bytes, or a typed range, lie inside a region that exists.
bool isInside(const rb_ctx *ctx, int32_t region, int64_t offset, int64_t size);
bool isRange(const rb_ctx *ctx, const rb_range &range);

/// The next micro-batch of a strand, into the batch buffers.
int32_t takeBatch(rb_ctx *ctx, const BatchRequest &request);

/// The addresses of the batch buffers.
void locateBuffers(rb_ctx &context);

} // namespace rubato

struct rb_ctx {
  static constexpr int32_t maxChannels = 64;

  rb_ctx(const rubato::Unit &unit, const rubato::ContextOptions &options)
      : unit(unit), options(options),
        regions(RB_REGION_COUNT + unit.valueBytes.size()),
        values(unit.valueBytes.size()) {
    lastSeq.fill(-1);
  }

  const rubato::Unit &unit;
  rubato::Group *group = nullptr; // of a unit that is one round
  rubato::BatchSource *source = nullptr;
  std::unique_ptr<rubato::Strand> strand; // of a program; has neither
  const rubato::ContextOptions options;

  rubato::Memory privateMemory, scratchMemory;
  std::vector<void *> regions; // those of the arena, then the values
  std::vector<rubato::ValueState> values;
  rubato::BatchBuffers buffers;
  const char *segment = nullptr;            // present one, for messages
  std::array<int64_t, maxChannels> lastSeq; // of each channel
  rubato::Status error;
  std::unique_ptr<rubato::Device> device; // last: it uses all the others
};
