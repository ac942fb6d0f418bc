// What a context needs from a device. Arguments are checked before they get
// here: lanes, events, futures and ranges exist.
#pragma once

#include "abi/batch_source.h"
#include "abi/context.h"
#include "abi/rubato_abi.h"
#include "fabric/group.h"
#include "support/status.h"

#include <cstdint>
#include <memory>

namespace rubato {

struct Strand; // abi/strand.h

/// A collective as compiled code asks for it; the ranges are the caller's.
struct Collective {
  CallName name;
  const rb_range *ins = nullptr, *outs = nullptr;
  int64_t count = 0; // of ins and of outs
};

/// One worker's device. All calls come from the worker's own thread; a status
/// other than RB_OK leaves its explanation in DeviceSetup::error.
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
  virtual bool query(int32_t event) = 0;
  virtual rb_status collective(const Collective &call, int32_t future) = 0;
  virtual bool futureDone(int32_t future) = 0;
  virtual rb_status futureAwait(int32_t future) = 0;
  virtual rb_status read(Place from, void *to, int64_t size) = 0;
  virtual rb_status write(Place to, const void *from, int64_t size) = 0;
  virtual rb_status copy(Place to, Place from, int64_t size) = 0;
  virtual rb_status clear(Place to, int64_t size) = 0;
  virtual rb_status nextBatch(BatchSource &source,
                              const BatchBuffers &buffers) = 0;
};

/// What a device is made from; everything outlives it.
struct DeviceSetup {
  const Unit &unit;
  void *const *regions; // RB_REGION_COUNT base addresses
  const ContextOptions &options;
  Status &error; // of the context
  Group *group = nullptr;
  Strand *strand = nullptr; // of a program, which has no group
};

Status makeCpuDevice(const DeviceSetup &setup, std::unique_ptr<Device> &device);
/// Launches as the CPU device does; what waits, waits in the environment.
std::unique_ptr<Device> makeStrandDevice(const DeviceSetup &setup);
Status makeTraceDevice(const DeviceSetup &setup,
                       std::unique_ptr<Device> &device);

} // namespace rubato
