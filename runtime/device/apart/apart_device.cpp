// A device that is as far away as another machine's: kernels of the CPU, memory
// that the host cannot touch, lanes that run later.
//
// What works here reaches around the device nowhere, and waits for it wherever
// it must. It is for tests; nothing of it is fast.
#include "device/apart/lanes.h"
#include "device/apart/memory.h"
#include "device/host_device.h"
#include "device/run_kernel.h"
#include "support/dtype.h"
#include "support/processor_meter.h"
#include "telemetry/timeline.h"

#include <array>
#include <cstring>
#include <map>

namespace rubato {

namespace apart {

namespace {

/// What the strands of a member share.
struct Shared {
  explicit Shared(uint64_t seed) : lanes(seed) {}

  /// Lanes have come further.
  Status moved(Status status) {
    RB_TRY(std::move(status));
    return courier ? courier(/*all=*/false) : Status::ok();
  }
  /// Others wait for what is to be sent, and for nothing else: the rest may be
  /// as late as it likes.
  Status flush() { return courier ? courier(/*all=*/true) : Status::ok(); }

  Lanes lanes;
  std::mutex mutex;
  std::vector<Lanes::Point> tickets; // of each lock: who had its cells last
  MemberDevice::Courier courier;
};

/// Memory of a strand's values that nobody holds. Work on it may still be under
/// way on the compute lane, so no other strand takes it.
struct UnusedBlocks {
  SharedBlock take(int64_t bytes) {
    std::lock_guard lock(mutex);
    auto &same = blocks[bytes];
    if (same.empty())
      return takeBlock(bytes);
    SharedBlock last = std::move(same.back());
    same.pop_back();
    return last;
  }
  void giveBack(SharedBlock block) {
    std::lock_guard lock(mutex);
    blocks[block->bytes].push_back(std::move(block));
  }

  std::mutex mutex;
  std::map<int64_t, std::vector<SharedBlock>> blocks;
};

/// A lane as fabrics see it.
class PartLane final : public Lane {
public:
  PartLane(Shared &shared, std::shared_ptr<UnusedBlocks> unused)
      : shared(shared), unused(std::move(unused)), number(shared.lanes.add()) {}

  Ticket fetch(void *to, const void *from, int64_t bytes) override {
    return give([=] { std::memcpy(to, toHost(from), size_t(bytes)); });
  }
  Ticket bring(void *to, const void *from, int64_t bytes) override {
    return give([=] { std::memcpy(toHost(to), from, size_t(bytes)); });
  }
  Ticket clear(void *to, int64_t bytes) override {
    return give([=] { std::memset(toHost(to), 0, size_t(bytes)); });
  }
  bool reached(Ticket ticket) override {
    return shared.lanes.isPast({number, ticket}, /*step=*/true);
  }
  bool isPast(Ticket ticket) override {
    return shared.lanes.isPast({number, ticket}, /*step=*/false);
  }
  Status waitFor(Ticket ticket) override {
    return shared.lanes.runUntil({number, ticket});
  }
  SharedBlock take(int64_t bytes) override {
    SharedBlock near = unused->take(bytes);
    // Its content is undefined: nobody shall take it for zeros.
    give([=] { std::memset(near->data, 0xff, size_t(bytes)); });
    auto *far = static_cast<char *>(toDevice(near->data));
    return shareBlock(
        {far, bytes, false},
        [near, unused = unused](const Block &) { unused->giveBack(near); });
  }

  template <typename Work> Ticket give(Work work) {
    return shared.lanes.give(number, std::move(work)).count;
  }

  Shared &shared;
  std::shared_ptr<UnusedBlocks> unused; // of the strand
  const int number;
};

/// Host memory in which batches are written, and when it may be used again.
struct BatchStage {
  std::vector<char> memory;
  BatchBuffers buffers;
  Lane::Ticket used = 0;
};

class ApartDevice final : public Device {
public:
  ApartDevice(const DeviceSetup &setup, Shared &shared,
              const std::shared_ptr<UnusedBlocks> &unused)
      : setup(setup), shared(shared),
        parts{PartLane(shared, unused), PartLane(shared, unused)},
        events(static_cast<size_t>(setup.unit.events)),
        targets(batchBuffers(setup.unit, setup.regions)) {
    for (BatchStage &stage : stages)
      layOut(stage);
  }

  rb_status beginSegment(const rb_segment_info &, bool &) override {
    return RB_OK;
  }
  rb_status endSegment() override { return RB_OK; }

  rb_status launch(rb_lane lane, const rb_kernel &kernel, void *const *args,
                   int64_t lo, int64_t hi, const rb_access *,
                   int64_t) override {
    std::vector<void *> addresses(args, args + kernel.arg_count);
    give(lane, [this, &kernel, addresses = std::move(addresses), lo, hi] {
      std::vector<void *> near;
      for (void *address : addresses)
        near.push_back(toHost(address));
      Timeline *timeline = setup.timeline;
      int64_t begin = timeline ? Timeline::now() : 0;
      runKernel(kernel, near.data(), lo, hi, workspace);
      if (timeline)
        timeline->add(setup.timelineLane, kernel.name, -1, begin,
                      Timeline::now());
    });
    return RB_OK;
  }

  rb_status record(rb_lane lane, int32_t event) override {
    events[static_cast<size_t>(event)] = shared.lanes.given(parts[lane].number);
    return RB_OK;
  }
  rb_status wait(rb_lane lane, int32_t event) override {
    shared.lanes.hold(parts[lane].number, events[static_cast<size_t>(event)]);
    return RB_OK;
  }

  rb_status read(Place from, void *to, int64_t size) override {
    const void *address = at(from);
    give(RB_COMPUTE, [=] { std::memcpy(to, toHost(address), size_t(size)); });
    return finish();
  }
  rb_status write(Place to, const void *from, int64_t size) override {
    const char *bytes = static_cast<const char *>(from);
    give(RB_COMPUTE,
         [address = at(to), copy = std::vector<char>(bytes, bytes + size)] {
           std::memcpy(toHost(address), copy.data(), copy.size());
         });
    return RB_OK;
  }
  rb_status copy(Place to, Place from, int64_t size) override {
    give(RB_COMPUTE, [=, to = at(to), from = at(from)] {
      std::memmove(toHost(to), toHost(from), size_t(size));
    });
    return RB_OK;
  }
  rb_status clear(Place to, int64_t size) override {
    parts[RB_COMPUTE].clear(at(to), size);
    return RB_OK;
  }

  SharedBlock take(int64_t bytes) override {
    return parts[RB_COMPUTE].take(bytes);
  }
  rb_status copyBlock(void *to, const void *from, int64_t bytes) override {
    give(RB_COMPUTE,
         [=] { std::memcpy(toHost(to), toHost(from), size_t(bytes)); });
    return RB_OK;
  }
  Lane *lane(rb_lane lane) override { return &parts[lane]; }

  const BatchBuffers &batch() override {
    stage = (stage + 1) % stages.size();
    // Nobody ends here: what is in front of a copy can always run.
    (void)parts[RB_COMPUTE].waitFor(stages[stage].used);
    return stages[stage].buffers;
  }
  rb_status batchWritten() override {
    const Unit &unit = setup.unit;
    const BatchBuffers &from = stages[stage].buffers;
    for (size_t i = 0; i != unit.inputs.size(); ++i)
      bring(targets.inputs[i], from.inputs[i], unit.inputs[i]);
    for (size_t i = 0; i != unit.labels.size(); ++i)
      bring(targets.labels[i], from.labels[i], unit.labels[i]);
    bring(targets.weights, from.weights, unit.weights);
    bring(targets.ids, from.ids, unit.ids);
    return RB_OK;
  }

  rb_status locked(int32_t lock) override {
    std::lock_guard guard(shared.mutex);
    if (static_cast<size_t>(lock) < shared.tickets.size())
      shared.lanes.hold(parts[RB_COMPUTE].number,
                        shared.tickets[static_cast<size_t>(lock)]);
    return RB_OK;
  }
  rb_status unlocking(int32_t lock) override {
    std::lock_guard guard(shared.mutex);
    if (static_cast<size_t>(lock) >= shared.tickets.size())
      shared.tickets.resize(static_cast<size_t>(lock) + 1);
    shared.tickets[static_cast<size_t>(lock)] =
        shared.lanes.given(parts[RB_COMPUTE].number);
    return RB_OK;
  }

  rb_status body() override {
    bodies.push_back(shared.lanes.given(parts[RB_COMPUTE].number));
    return RB_OK;
  }
  rb_status waitForBodies(int32_t ahead) override {
    while (bodies.size() > static_cast<size_t>(ahead)) {
      if (rb_status status = tell(shared.lanes.runUntil(bodies.front())))
        return status;
      bodies.pop_front();
    }
    return RB_OK;
  }
  rb_status finish() override {
    return tell(shared.moved(
        shared.lanes.runUntil(shared.lanes.given(parts[RB_COMPUTE].number))));
  }
  rb_status flush() override { return tell(shared.flush()); }

private:
  void *at(Place place) const {
    return static_cast<char *>(setup.regions[place.region]) + place.offset;
  }
  template <typename Work> void give(rb_lane lane, Work work) {
    parts[lane].give(std::move(work));
  }
  rb_status tell(Status status) {
    if (status)
      return RB_OK;
    setup.error = std::move(status);
    return RB_INVALID;
  }

  static int64_t bytesOf(const BatchBuffer &buffer) {
    int64_t count = 1;
    for (int64_t size : buffer.shape)
      count *= size;
    return count * elementBytes(buffer.dtype);
  }
  void bring(void *to, const void *from, const BatchBuffer &buffer) {
    stages[stage].used = parts[RB_COMPUTE].bring(to, from, bytesOf(buffer));
  }
  void layOut(BatchStage &stage) {
    const Unit &unit = setup.unit;
    constexpr int64_t alignment = 64;
    int64_t total = alignment;
    auto place = [&](const BatchBuffer &buffer) {
      int64_t begin = total;
      total += (bytesOf(buffer) + alignment - 1) / alignment * alignment;
      return begin;
    };
    std::vector<int64_t> inputs, labels;
    for (const BatchBuffer &buffer : unit.inputs)
      inputs.push_back(place(buffer));
    for (const BatchBuffer &buffer : unit.labels)
      labels.push_back(place(buffer));
    int64_t weights = place(unit.weights), ids = place(unit.ids);
    stage.memory.resize(static_cast<size_t>(total));
    char *base = stage.memory.data();
    base += alignment - reinterpret_cast<uintptr_t>(base) % alignment;
    base -= alignment; // where places begin to count
    for (int64_t begin : inputs)
      stage.buffers.inputs.push_back(base + begin);
    for (int64_t begin : labels)
      stage.buffers.labels.push_back(base + begin);
    stage.buffers.weights = base + weights;
    stage.buffers.ids = reinterpret_cast<int64_t *>(base + ids);
  }

  DeviceSetup setup;
  Shared &shared;
  std::array<PartLane, RB_LANE_COUNT> parts;
  std::vector<Lanes::Point> events;
  std::deque<Lanes::Point> bodies;
  BatchBuffers targets; // on the device
  std::array<BatchStage, 2> stages;
  size_t stage = 0;
  Workspace workspace;
};

class ApartMemberDevice final : public MemberDevice {
public:
  explicit ApartMemberDevice(uint64_t seed) : shared(seed) {}

  bool onHost() const override { return false; }
  Status memory(int64_t bytes, const char *purpose, bool,
                void *&base) override {
    Memory block;
    RB_TRY(Memory::privateMemory(bytes, purpose, block));
    base = toDevice(block.data());
    blocks.push_back(std::move(block));
    return Status::ok();
  }
  std::unique_ptr<Device> strand(const DeviceSetup &setup) override {
    return std::make_unique<ApartDevice>(setup, shared,
                                         std::make_shared<UnusedBlocks>());
  }
  Status flush() override { return shared.flush(); }
  Status settle() override { return shared.moved(shared.lanes.runAll()); }
  Status read(void *to, const void *from, int64_t bytes) override {
    RB_TRY(settle());
    std::memcpy(to, toHost(from), static_cast<size_t>(bytes));
    return Status::ok();
  }
  Status write(void *to, const void *from, int64_t bytes) override {
    RB_TRY(settle());
    std::memcpy(toHost(to), from, static_cast<size_t>(bytes));
    return Status::ok();
  }
  void setCourier(Courier courier) override {
    shared.courier = std::move(courier);
  }

private:
  std::vector<Memory> blocks;
  Shared shared; // last: what its lanes still hold refers to all the others
};

} // namespace

} // namespace apart

std::unique_ptr<MemberDevice> makeApartDevice(uint64_t seed) {
  return std::make_unique<apart::ApartMemberDevice>(seed);
}

} // namespace rubato
