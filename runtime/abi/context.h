// rb_ctx: one worker's world. Everything compiled code can reach hangs here.
#pragma once

#include "abi/batch_source.h"
#include "abi/unit.h"
#include "support/status.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

namespace rubato {

class Group;    // fabric/group.h: the members and what they share
class Timeline; // telemetry/timeline.h: time stamps of lanes

enum class DeviceKind { Cpu, Trace };

struct ContextOptions {
  DeviceKind device = DeviceKind::Cpu;
  int rank = 0;
  std::chrono::milliseconds deadline{60000}; // of every wait
  std::FILE *traceFile = nullptr;            // of the trace device
  Timeline *timeline = nullptr;              // optional
  int timelineLane = RB_COMPUTE;             // where its kernels appear
  const std::atomic<int> *stop = nullptr;    // non-zero: stop requested
};

/// Makes the context of member `options.rank` of `group`: maps the regions,
/// initialises the cells from the unit's weights, starts the comm lane (on a
/// thread of its own when the group has more than one member).
/// `unit`, `group` and `source` outlive the context.
Status makeContext(const Unit &unit, Group &group, BatchSource &source,
                   const ContextOptions &options, rb_ctx *&context);
void destroyContext(rb_ctx *context);

/// Replaces the source of batches (training data, evaluation data).
void setBatchSource(rb_ctx *context, BatchSource &source);

/// What compiled code is told of an error.
rb_status statusOf(const Status &error);

/// Why the last call on this context failed, for people.
const Status &lastError(const rb_ctx *context);

/// The address of a place in this worker's regions.
void *address(rb_ctx *context, Place place);

} // namespace rubato
