// The device of a strand. A program waits in its environment only; a unit that
// is one synchronous round is run as one, too: the collectives of its round
// are gathered and done together when the compute lane first needs them.
#include "abi/strand.h"
#include "device/cpu/host_device.h"

#include <vector>

namespace rubato {

namespace {

class StrandDevice final : public HostDevice {
public:
  explicit StrandDevice(const DeviceSetup &setup)
      : HostDevice(setup), strand(*setup.strand),
        events(static_cast<size_t>(setup.unit.events)) {}

  rb_status record(rb_lane on, int32_t event) override {
    events[static_cast<size_t>(event)] = on == RB_COMM;
    return RB_OK;
  }

  rb_status wait(rb_lane on, int32_t event) override {
    return on == RB_COMPUTE && events[static_cast<size_t>(event)] ? reduce()
                                                                  : failed;
  }

  /// Whoever polls would poll for ever if nothing were started. A failure is
  /// told by the wait that follows.
  bool query(int32_t event) override {
    (void)wait(RB_COMPUTE, event);
    return true;
  }

  rb_status collective(const Collective &call, int32_t future) override {
    auto add = [&](std::vector<Part> &to, const rb_range &range) {
      to.push_back({static_cast<rb_dtype>(range.dtype), range.count,
                    at({static_cast<rb_region>(range.region), range.offset})});
    };
    for (int64_t i = 0; i < call.count; ++i) {
      add(ins, call.ins[i]);
      add(outs, call.outs[i]);
    }
    return RB_OK;
  }

  bool futureDone(int32_t future) override {
    (void)reduce();
    return true;
  }

  rb_status futureAwait(int32_t future) override { return reduce(); }

private:
  /// Does all that was gathered as one reduction.
  rb_status reduce() {
    if (ins.empty())
      return failed;
    Status status = reduceGathered();
    ins.clear();
    outs.clear();
    failed = statusOf(status);
    if (!status)
      setup.error = std::move(status);
    return failed;
  }

  Status reduceGathered() {
    spend(Spending::Rest);
    RB_TRY(strand.endWork());
    FutureHandle future = 0;
    RB_TRY(strand.environment.start(
        strand.caller, {Call::AllReduce, 0, 0, ins, outs}, future));
    RB_TRY(strand.environment.await(strand.caller, future, outs));
    // The update is one atomic; it has no sibling to keep out.
    RB_TRY(strand.environment.lock(strand.caller, 0, strand.updates.c_str()));
    RB_TRY(strand.environment.unlock(strand.caller, 0));
    return strand.beginWork("step");
  }

  Strand &strand;
  std::vector<char> events;    // recorded on the comm lane
  std::vector<Part> ins, outs; // gathered
  rb_status failed = RB_OK;    // how the latest reduction ended
};

} // namespace

std::unique_ptr<Device> makeStrandDevice(const DeviceSetup &setup) {
  return std::make_unique<StrandDevice>(setup);
}

} // namespace rubato
