// The inside of rb_ctx, for the files that implement the ABI.
#pragma once

#include "context/context.h"
#include "data/batch_writer.h"
#include "device/device.h"

#include <memory>
#include <vector>

namespace rubato {

/// The answer to a request that a correct compiler never makes.
int32_t refuseCall(rb_ctx *ctx, const std::string &what);

/// Keeps an error of the environment and says what the code is told of it.
int32_t finishCall(rb_ctx *ctx, Status status);

inline bool isLane(int32_t lane) { return lane >= 0 && lane < RB_LANE_COUNT; }

/// Whether bytes, or a typed range, lie inside a region that exists.
bool isInside(const rb_ctx *ctx, int32_t region, int64_t offset, int64_t size);
bool isRange(const rb_ctx *ctx, const rb_range &range);

/// The next micro-batch of a strand, into the batch buffers.
Status takeBatch(rb_ctx *ctx, const BatchRequest &request);

} // namespace rubato

struct rb_ctx {
  explicit rb_ctx(const rubato::ContextSetup &setup);

  const rubato::Unit &unit;
  rubato::Environment &environment;
  rubato::Caller caller;
  const rubato::Dataset *data;
  rubato::Looks *looks;
  rubato::BlockSource *blocks;

  std::vector<void *> regions; // those of the arena, then the values
  std::vector<rubato::ValueState> values;
  std::vector<int64_t> rows;       // of the present batch
  std::vector<rubato::Part> parts; // of the present call
  const char *segment = nullptr;   // present one, for messages
  rubato::Status error;
  std::unique_ptr<rubato::Device> device; // last: it uses all the others
};
