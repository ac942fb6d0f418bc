// The trace device: executes nothing and writes one line per call, so that a
// compiled round prints exactly its schedule.
#include "device/device.h"
#include "support/dtype.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace rubato {

namespace {

class TraceDevice final : public Device {
public:
  explicit TraceDevice(const DeviceSetup &setup)
      : setup(setup),
        out(setup.options.traceFile ? setup.options.traceFile : stdout) {}

  rb_status beginSegment(const rb_segment_info &segment, bool &) override {
    std::fprintf(out, "segment %s", segment.name);
    return endLine();
  }
  rb_status endSegment() override { return RB_OK; }

  rb_status launch(rb_lane lane, const rb_kernel &kernel, void *const *args,
                   int64_t lo, int64_t hi, const rb_access *accesses,
                   int64_t accessCount) override {
    std::fprintf(out, "launch %s %s [%" PRId64 ",%" PRId64 ")", laneName(lane),
                 kernel.name, lo, hi);
    for (int64_t i = 0; i < accessCount; ++i) {
      const rb_access &access = accesses[i];
      if (!exists(access)) {
        std::fputs(" ?", out);
        endLine();
        setup.error = {ErrorCode::Internal,
                       std::string("kernel ") + kernel.name +
                           " declares access " + std::to_string(i) +
                           " outside its region; this is a bug of the "
                           "compiler"};
        return RB_INVALID;
      }
      const char *mode = access.mode == RB_READ    ? "read"
                         : access.mode == RB_WRITE ? "write"
                                                   : "read-write";
      std::fprintf(out, " %s %s %" PRId64 "+%" PRId64, mode,
                   regionName(access.region), access.offset, access.size);
    }
    return endLine();
  }

  rb_status record(rb_lane lane, int32_t event) override {
    std::fprintf(out, "record %s event %d", laneName(lane), event);
    return endLine();
  }

  rb_status wait(rb_lane lane, int32_t event) override {
    std::fprintf(out, "wait %s event %d", laneName(lane), event);
    return endLine();
  }

  bool query(int32_t event) override {
    std::fprintf(out, "query event %d", event);
    endLine();
    return true;
  }

  rb_status collective(const Collective &call, int32_t future) override {
    std::fprintf(out, "collective comm all_reduce sum channel %d seq %" PRId64,
                 call.name.channel, call.name.seq);
    for (int64_t i = 0; i < call.count; ++i)
      printRange("in", call.ins[i]);
    for (int64_t i = 0; i < call.count; ++i)
      printRange("out", call.outs[i]);
    std::fprintf(out, " future %d", future);
    return endLine();
  }

  bool futureDone(int32_t future) override {
    std::fprintf(out, "done future %d", future);
    endLine();
    return true;
  }

  rb_status futureAwait(int32_t future) override {
    std::fprintf(out, "await future %d", future);
    return endLine();
  }

  rb_status read(Place from, void *to, int64_t size) override {
    std::memset(to, 0, static_cast<size_t>(size));
    std::fprintf(out, "read %s %" PRId64 "+%" PRId64, regionName(from.region),
                 from.offset, size);
    return endLine();
  }

  rb_status write(Place to, const void *from, int64_t size) override {
    std::fprintf(out, "write %s %" PRId64 "+%" PRId64, regionName(to.region),
                 to.offset, size);
    return endLine();
  }

  rb_status copy(Place to, Place from, int64_t size) override {
    std::fprintf(out,
                 "copy %s %" PRId64 "+%" PRId64 " to %s %" PRId64 "+%" PRId64,
                 regionName(from.region), from.offset, size,
                 regionName(to.region), to.offset, size);
    return endLine();
  }

  rb_status clear(Place to, int64_t size) override {
    std::fprintf(out, "clear %s %" PRId64 "+%" PRId64, regionName(to.region),
                 to.offset, size);
    return endLine();
  }

  rb_status nextBatch(BatchSource &source,
                      const BatchBuffers &buffers) override {
    std::fputs("next_batch", out);
    return endLine();
  }

private:
  /// Declared accesses cost nothing to check here, where nothing is executed.
  bool exists(const rb_access &access) const {
    if (access.region < 0 || access.region >= RB_REGION_COUNT)
      return false;
    int64_t bytes = setup.unit.regionBytes[access.region];
    return access.offset >= 0 && access.size >= 0 && access.offset <= bytes &&
           access.size <= bytes - access.offset;
  }

  void printRange(const char *direction, const rb_range &range) {
    std::fprintf(out, " %s %s %" PRId64 "+%" PRId64 " %s", direction,
                 regionName(range.region), range.offset,
                 range.count * elementBytes(range.dtype),
                 dtypeName(range.dtype));
  }

  rb_status endLine() {
    std::fputc('\n', out);
    if (!std::ferror(out))
      return RB_OK;
    setup.error = Status::user(std::string("cannot write the trace: ") +
                               std::strerror(errno) + "; free some space");
    return RB_INVALID;
  }

  DeviceSetup setup;
  std::FILE *out;
};

} // namespace

Status makeTraceDevice(const DeviceSetup &setup,
                       std::unique_ptr<Device> &device) {
  device = std::make_unique<TraceDevice>(setup);
  return Status::ok();
}

} // namespace rubato
