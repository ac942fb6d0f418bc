#include "telemetry/metrics.h"

#include <cerrno>
#include <cinttypes>
#include <cmath>
#include <cstring>

using namespace rubato;

namespace {

/// A number as JSON has it: NaN and infinities become null.
struct JsonNumber {
  explicit JsonNumber(double value) {
    if (std::isfinite(value))
      std::snprintf(text, sizeof text, "%.9g", value);
    else
      std::strcpy(text, "null");
  }
  char text[32];
};

} // namespace

Metrics::~Metrics() {
  if (file)
    std::fclose(file);
}

Status Metrics::open(const std::string &to) {
  path = to;
  file = std::fopen(path.c_str(), "we");
  if (!file)
    return Status::user(path +
                        ": cannot write metrics: " + std::strerror(errno));
  std::setvbuf(file, nullptr, _IOFBF, 1 << 16);
  return Status::ok();
}

void Metrics::round(const RoundRecord &r) {
  if (!file)
    return;
  std::fprintf(
      file,
      "{\"round\":%" PRId64 ",\"epoch\":%" PRId64 ",\"samples\":%" PRId64
      ",\"seen\":%" PRId64 ",\"loss\":%s,\"seconds\":%.6f}\n",
      r.round, r.epoch, r.samples, r.seen, JsonNumber(r.loss).text, r.seconds);
  flushSometimes(r.seconds);
}

void Metrics::interval(const RoundRecord &r) {
  if (!file)
    return;
  std::fprintf(file,
               "{\"epoch\":%" PRId64 ",\"samples\":%" PRId64
               ",\"seen\":%" PRId64 ",\"loss\":%s,\"seconds\":%.6f}\n",
               r.epoch, r.samples, r.seen, JsonNumber(r.loss).text, r.seconds);
  flushSometimes(r.seconds);
}

void Metrics::evaluation(const EvalRecord &r) {
  if (!file)
    return;
  std::fprintf(file,
               "{\"eval\":true,\"round\":%" PRId64 ",\"epoch\":%" PRId64
               ",\"samples\":%" PRId64 ",\"loss\":%s,",
               r.round, r.epoch, r.samples, JsonNumber(r.loss).text);
  if (r.hasAccuracy)
    std::fprintf(file, "\"correct\":%" PRId64 ",\"accuracy\":%s,", r.correct,
                 JsonNumber(r.accuracy()).text);
  std::fprintf(file, "\"seconds\":%.6f}\n", r.seconds);
  flushSometimes(r.seconds);
}

void Metrics::line(const std::string &json) {
  if (file)
    std::fprintf(file, "%s\n", json.c_str());
}

void Metrics::flushSometimes(double seconds) {
  if (seconds < flushed + 1)
    return;
  std::fflush(file);
  flushed = seconds;
}

Status Metrics::close() {
  if (!file)
    return Status::ok();
  bool failed = std::ferror(file) != 0;
  failed |= std::fclose(file) != 0;
  file = nullptr;
  if (failed)
    return Status::user(path + ": metrics are incomplete; is the disk full?");
  return Status::ok();
}
