// What a context needs from a device. Arguments are checked before they get
// here: lanes, events and ranges exist.
#pragma once

#include "abi/rubato_abi.h"
#include "support/status.h"
#include "unit/unit.h"

#include <cstdint>
#include <cstdio>
#include <memory>

namespace rubato {

class Timeline; // telemetry/timeline.h

/// The device of one strand, called from its own thread; a status other than
/// RB_OK leaves its explanation in DeviceSetup::error. What waits for others,
/// waits in the environment.
class Device {
public:
  virtual ~Device() = default;

  /// `replayed`: all that the segment has was given to the lanes at once, and
  /// its calls do not come.
  virtual rb_status beginSegment(const rb_segment_info &segment,
                                 bool &replayed) = 0;
  virtual rb_status endSegment() = 0;
  virtual rb_status launch(rb_lane lane, const rb_kernel &kernel,
                           void *const *args, int64_t lo, int64_t hi,
                           const rb_access *accesses, int64_t accessCount) = 0;
  virtual rb_status record(rb_lane lane, int32_t event) = 0;
  virtual rb_status wait(rb_lane lane, int32_t event) = 0;
  virtual rb_status read(Place from, void *to, int64_t size) = 0;
  virtual rb_status write(Place to, const void *from, int64_t size) = 0;
  virtual rb_status copy(Place to, Place from, int64_t size) = 0;
  virtual rb_status clear(Place to, int64_t size) = 0;
};

/// What a device is made from; everything outlives it.
struct DeviceSetup {
  const Unit &unit;
  void *const *regions; // base addresses: of the arena, then of the values
  Timeline *timeline = nullptr; // optional
  int timelineLane = 0;
  std::FILE *trace = nullptr; // of the trace device; null: standard output
  Status &error;              // of the context
};

std::unique_ptr<Device> makeCpuDevice(const DeviceSetup &setup);
std::unique_ptr<Device> makeTraceDevice(const DeviceSetup &setup);

} // namespace rubato
