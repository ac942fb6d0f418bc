// The Chrome-trace form of a timeline.
#include "telemetry/timeline.h"

#include "support/atomic_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace rubato {

using nlohmann::json;

Timeline::Timeline(size_t capacity, std::vector<std::string> laneNames)
    : names(std::move(laneNames)), rings(names.size()) {
  for (Ring &ring : rings)
    ring.spans.resize(std::max<size_t>(capacity, 1));
}

Status Timeline::writeChromeTrace(const std::string &path, int rank) const {
  json events = json::array();
  auto nameOf = [&](const char *what, int lane, const std::string &name) {
    events.push_back({{"ph", "M"},
                      {"pid", rank},
                      {"tid", lane},
                      {"name", what},
                      {"args", {{"name", name}}}});
  };
  nameOf("process_name", 0, "rank " + std::to_string(rank));
  for (int lane = 0; const Ring &ring : rings) {
    nameOf("thread_name", lane, names[static_cast<size_t>(lane)]);
    uint64_t count = ring.count.load(std::memory_order_acquire);
    uint64_t kept = std::min<uint64_t>(count, ring.spans.size());
    for (uint64_t i = count - kept; i < count; ++i) {
      const Span &span = ring.spans[i % ring.spans.size()];
      std::string name = span.name;
      if (span.index >= 0)
        name += " " + std::to_string(span.index);
      // Microseconds, as the format wants; a double keeps the nanoseconds of
      // a machine that has been up for months.
      events.push_back({{"ph", "X"},
                        {"pid", rank},
                        {"tid", lane},
                        {"name", std::move(name)},
                        {"ts", double(span.begin) / 1000},
                        {"dur", double(span.end - span.begin) / 1000}});
    }
    ++lane;
  }
  json trace = {{"traceEvents", std::move(events)}};
  std::string text = trace.dump(-1, ' ', false, json::error_handler_t::replace);
  text += '\n';
  return writeFileAtomically(path, {{text.data(), text.size()}});
}

} // namespace rubato
