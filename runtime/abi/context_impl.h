// The inside of rb_ctx, for the files that implement the ABI.
#pragma once

#include "abi/context.h"
#include "device/device.h"
#include "support/memory.h"

#include <array>

struct rb_ctx {
  static constexpr int32_t maxChannels = 64;

  rb_ctx(const rubato::Unit &unit, rubato::Group &group,
         rubato::BatchSource &source, const rubato::ContextOptions &options)
      : unit(unit), group(group), source(&source), options(options) {
    lastSeq.fill(-1);
  }

  const rubato::Unit &unit;
  rubato::Group &group;
  rubato::BatchSource *source;
  const rubato::ContextOptions options;

  rubato::Memory privateMemory;
  void *regions[RB_REGION_COUNT] = {};
  rubato::BatchBuffers buffers;
  const char *segment = nullptr;            // present one, for messages
  std::array<int64_t, maxChannels> lastSeq; // of each channel
  rubato::Status error;
  std::unique_ptr<rubato::Device> device; // last: it uses all the others
};
