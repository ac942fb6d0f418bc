// What computes: the device of a member, and the lanes that each of its strands
// has there.
//
// Memory of a device may be out of the host's reach: cells, values and batches
// are written, read and taken through here, never through a pointer. Arguments
// are checked before they get here: lanes, events and ranges exist.
#pragma once

#include "abi/rubato_abi.h"
#include "data/batch_writer.h"
#include "support/block.h"
#include "support/lane.h"
#include "support/status.h"
#include "unit/unit.h"

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>

namespace rubato {

class Timeline; // telemetry/timeline.h

enum class DeviceKind { Cpu, Trace, Apart };
/// As options call it.
const char *deviceName(DeviceKind kind);

/// The device of one strand, called from its own thread; a status other than
/// RB_OK leaves its explanation in DeviceSetup::error. What waits for other
/// members, waits in the environment.
///
/// Unless it says that it waits, a call is given to the compute lane, or to the
/// one it names, and returns.
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

  /// Waits for the compute lane.
  virtual rb_status read(Place from, void *to, int64_t size) = 0;
  virtual rb_status write(Place to, const void *from, int64_t size) = 0;
  virtual rb_status copy(Place to, Place from, int64_t size) = 0;
  virtual rb_status clear(Place to, int64_t size) = 0;

  /// Memory of a value, of undefined content.
  virtual SharedBlock take(int64_t bytes) = 0;
  virtual rb_status copyBlock(void *to, const void *from, int64_t bytes) = 0;
  /// The lane in whose order parts of messages are touched that lie in memory
  /// of the device; null: that is the host's.
  virtual Lane *lane(rb_lane lane) { return nullptr; }

  /// Where the host writes the next batch; waits until it may.
  virtual const BatchBuffers &batch() = 0;
  virtual rb_status batchWritten() { return RB_OK; }

  /// Cells of a lock belong to this strand: its compute lane comes after those
  /// that had them before.
  virtual rb_status locked(int32_t lock) { return RB_OK; }
  virtual rb_status unlocking(int32_t lock) { return RB_OK; }

  /// A body of a repeat was given to the compute lane.
  virtual rb_status body() { return RB_OK; }
  /// Waits until `ahead` bodies at most are unfinished.
  virtual rb_status waitForBodies(int32_t ahead) { return RB_OK; }
  /// Waits until all that the compute lane was given is done.
  virtual rb_status finish() { return RB_OK; }
  /// The strand is about to wait for others: what it has given to its lanes
  /// must not wait for it.
  virtual rb_status flush() { return RB_OK; }
};

/// What a device of a strand is made from; everything outlives it.
struct DeviceSetup {
  const Unit &unit;
  void *const *regions; // base addresses: of the arena, then of the values
  BlockSource *blocks = nullptr; // of values on the host; null: any memory
  Timeline *timeline = nullptr;  // optional
  int timelineLane = 0;
  Status &error; // of the context
};

/// What the strands of a member share. Made in the member's own process; it
/// outlives their devices.
class MemberDevice {
public:
  virtual ~MemberDevice() = default;

  /// Whether its memory is the host's.
  virtual bool onHost() const { return true; }
  /// Zeroed memory of a region, as long as this lives. `atOnce`: all its pages
  /// are brought now.
  virtual Status memory(int64_t bytes, const char *purpose, bool atOnce,
                        void *&base) = 0;
  virtual std::unique_ptr<Device> strand(const DeviceSetup &setup) = 0;

  /// As that of a strand, of all strands.
  virtual Status flush() { return Status::ok(); }
  /// Waits until all lanes of all strands are idle.
  virtual Status settle() { return Status::ok(); }
  /// After that, as the host sees it.
  virtual Status read(void *to, const void *from, int64_t bytes) = 0;
  virtual Status write(void *to, const void *from, int64_t bytes) = 0;

  /// Who passes on what lanes have fetched: called whenever they may have come
  /// further, and with `all` when nothing must be left. Before strands start.
  using Courier = std::function<Status(bool all)>;
  virtual void setCourier(Courier courier) {}
};

std::unique_ptr<MemberDevice> makeCpuDevice();
/// Prints to `out` instead of computing.
std::unique_ptr<MemberDevice> makeTraceDevice(std::FILE *out);
/// Kernels of the CPU in memory out of the host's reach, on lanes that run
/// later, in an order that the seed draws (device/apart).
std::unique_ptr<MemberDevice> makeApartDevice(uint64_t seed);

} // namespace rubato
