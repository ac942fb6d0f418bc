// The CPU device: kernels run here and now, on the caller's own thread, and its
// memory is the host's.
#include "device/host_device.h"
#include "device/run_kernel.h"
#include "support/processor_meter.h"
#include "telemetry/timeline.h"

#include <cstring>

namespace rubato {

namespace {

class CpuDevice final : public HostDevice {
public:
  explicit CpuDevice(const DeviceSetup &setup) : HostDevice(setup) {}

  rb_status beginSegment(const rb_segment_info &, bool &) override {
    return RB_OK;
  }
  rb_status endSegment() override { return RB_OK; }

  rb_status launch(rb_lane lane, const rb_kernel &kernel, void *const *args,
                   int64_t lo, int64_t hi, const rb_access *accesses,
                   int64_t accessCount) override {
    spend(Spending::Mathematics);
    Timeline *timeline = setup.timeline;
    int64_t begin = timeline ? Timeline::now() : 0;
    runKernel(kernel, args, lo, hi, workspace);
    if (timeline)
      timeline->add(setup.timelineLane, kernel.name, -1, begin,
                    Timeline::now());
    return RB_OK;
  }

  /// What a lane has been given is done when the call returns, so every record
  /// is reached at once.
  rb_status record(rb_lane, int32_t) override { return RB_OK; }
  rb_status wait(rb_lane, int32_t) override { return RB_OK; }

  rb_status read(Place from, void *to, int64_t size) override {
    std::memcpy(to, at(from), static_cast<size_t>(size));
    return RB_OK;
  }

  rb_status write(Place to, const void *from, int64_t size) override {
    std::memcpy(at(to), from, static_cast<size_t>(size));
    return RB_OK;
  }

  rb_status copy(Place to, Place from, int64_t size) override {
    std::memmove(at(to), at(from), static_cast<size_t>(size));
    return RB_OK;
  }

  rb_status clear(Place to, int64_t size) override {
    std::memset(at(to), 0, static_cast<size_t>(size));
    return RB_OK;
  }

private:
  char *at(Place place) {
    return static_cast<char *>(setup.regions[place.region]) + place.offset;
  }

  Workspace workspace;
};

class CpuMemberDevice final : public HostMemberDevice {
public:
  std::unique_ptr<Device> strand(const DeviceSetup &setup) override {
    return std::make_unique<CpuDevice>(setup);
  }
};

} // namespace

std::unique_ptr<MemberDevice> makeCpuDevice() {
  return std::make_unique<CpuMemberDevice>();
}

} // namespace rubato
