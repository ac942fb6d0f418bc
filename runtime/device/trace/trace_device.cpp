// The trace device: executes nothing and writes one line per call, so that a
// compiled round prints exactly its schedule.
#include "device/host_device.h"
#include "support/dtype.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace rubato {

namespace {

class TraceDevice final : public HostDevice {
public:
  TraceDevice(const DeviceSetup &setup, std::FILE *out)
      : HostDevice(setup), out(out) {}

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
                   nameOf(access.region).c_str(), access.offset, access.size);
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

  rb_status read(Place from, void *to, int64_t size) override {
    std::memset(to, 0, static_cast<size_t>(size));
    std::fprintf(out, "read %s %" PRId64 "+%" PRId64,
                 nameOf(from.region).c_str(), from.offset, size);
    return endLine();
  }

  rb_status write(Place to, const void *from, int64_t size) override {
    std::fprintf(out, "write %s %" PRId64 "+%" PRId64,
                 nameOf(to.region).c_str(), to.offset, size);
    return endLine();
  }

  rb_status copy(Place to, Place from, int64_t size) override {
    std::fprintf(out,
                 "copy %s %" PRId64 "+%" PRId64 " to %s %" PRId64 "+%" PRId64,
                 nameOf(from.region).c_str(), from.offset, size,
                 nameOf(to.region).c_str(), to.offset, size);
    return endLine();
  }

  rb_status clear(Place to, int64_t size) override {
    std::fprintf(out, "clear %s %" PRId64 "+%" PRId64,
                 nameOf(to.region).c_str(), to.offset, size);
    return endLine();
  }

private:
  /// Declared accesses cost nothing to check here, where nothing is executed.
  bool exists(const rb_access &access) const {
    auto value = static_cast<size_t>(access.region - RB_FIRST_VALUE);
    if (access.region < 0 || (access.region >= RB_FIRST_VALUE &&
                              value >= setup.unit.valueBytes.size()))
      return false;
    int64_t bytes = access.region < RB_FIRST_VALUE
                        ? setup.unit.regionBytes[access.region]
                        : setup.unit.valueBytes[value];
    return access.offset >= 0 && access.size >= 0 && access.offset <= bytes &&
           access.size <= bytes - access.offset;
  }

  /// A region of the arena, or "value 3".
  static std::string nameOf(int32_t region) {
    return region < RB_FIRST_VALUE
               ? regionName(region)
               : "value " + std::to_string(region - RB_FIRST_VALUE);
  }

  rb_status endLine() {
    std::fputc('\n', out);
    if (!std::ferror(out))
      return RB_OK;
    setup.error = Status::user(std::string("cannot write the trace: ") +
                               std::strerror(errno) + "; free some space");
    return RB_INVALID;
  }

  std::FILE *out;
};

class TraceMemberDevice final : public HostMemberDevice {
public:
  explicit TraceMemberDevice(std::FILE *out) : out(out) {}
  std::unique_ptr<Device> strand(const DeviceSetup &setup) override {
    return std::make_unique<TraceDevice>(setup, out);
  }

private:
  std::FILE *out;
};

} // namespace

std::unique_ptr<MemberDevice> makeTraceDevice(std::FILE *out) {
  return std::make_unique<TraceMemberDevice>(out);
}

} // namespace rubato
