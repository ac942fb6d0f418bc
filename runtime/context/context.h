// rb_ctx: the world of one strand. Everything compiled code can reach hangs
// here.
#pragma once

#include "context/values.h"
#include "data/dataset.h"
#include "environment/environment.h"
#include "support/status.h"
#include "unit/unit.h"

#include <span>

namespace rubato {

class MemberDevice; // device/device.h
class Timeline;     // telemetry/timeline.h: time stamps of lanes

struct ContextSetup {
  const Unit &unit;
  Environment &environment;
  Caller caller;
  MemberDevice &device; // outlives the context
  void *const *regions; // RB_REGION_COUNT of them: the host's in memory of the
                        // host, the others in the device's
  const Dataset *data = nullptr;
  Looks *looks = nullptr;        // of the member; without, values copy cells
  BlockSource *blocks = nullptr; // of values; null: any memory
  Timeline *timeline = nullptr;
  int timelineLane = 0; // where its kernels appear
};

rb_ctx *makeContext(const ContextSetup &setup);
void destroyContext(rb_ctx *context);

/// The number of the round that comes next.
void setRound(rb_ctx *context, int64_t round);

/// Fills the batch buffers with these samples of a data set.
Status writeRows(rb_ctx *context, const Dataset &data,
                 std::span<const int64_t> rows);

/// What compiled code is told of an error.
rb_status statusOf(const Status &error);

/// Why the last call on this context failed, for people.
const Status &lastError(const rb_ctx *context);

/// The address of a place in this strand's regions: the device's.
void *address(rb_ctx *context, Place place);

} // namespace rubato
