// The CPU device: kernels run here and now, on the worker's own thread;
// collectives run on the comm lane.
#include "device/cpu/comm_lane.h"
#include "device/cpu/host_device.h"

namespace rubato {

namespace {

class CpuDevice final : public HostDevice {
public:
  explicit CpuDevice(const DeviceSetup &setup)
      : HostDevice(setup), lane(*setup.group, setup.options),
        events(static_cast<size_t>(setup.unit.events)),
        futures(static_cast<size_t>(setup.unit.futures)) {}

  ~CpuDevice() override {
    if (!setup.error)
      lane.abandon();
  }

  Status start() { return lane.start(); }

  /// What the compute lane has been given is done when the call returns, so
  /// its records are reached at once: ticket 0.
  rb_status record(rb_lane on, int32_t event) override {
    events[event] = on == RB_COMM ? lane.issued() : 0;
    return RB_OK;
  }

  /// The comm lane never has to be held back: what was recorded on the compute
  /// lane is reached, and its own records come before in its queue.
  rb_status wait(rb_lane on, int32_t event) override {
    return on == RB_COMM ? RB_OK : lane.wait(events[event], setup.error);
  }

  bool query(int32_t event) override { return lane.reached(events[event]); }

  rb_status collective(const Collective &call, int32_t future) override {
    rb_status status = lane.push(call, setup.error);
    if (status == RB_OK)
      futures[future] = lane.issued();
    return status;
  }

  bool futureDone(int32_t future) override {
    return lane.reached(futures[future]);
  }

  rb_status futureAwait(int32_t future) override {
    if (futures[future] == 0) {
      setup.error = {ErrorCode::Internal,
                     "future " + std::to_string(future) +
                         " is awaited, but nothing was started under it; this "
                         "is a bug of the compiler"};
      return RB_INVALID;
    }
    return lane.wait(futures[future], setup.error);
  }

private:
  CommLane lane;
  std::vector<uint64_t> events, futures; // tickets of the comm lane
};

} // namespace

Status makeCpuDevice(const DeviceSetup &setup,
                     std::unique_ptr<Device> &device) {
  auto made = std::make_unique<CpuDevice>(setup);
  RB_TRY(made->start());
  device = std::move(made);
  return Status::ok();
}

} // namespace rubato
