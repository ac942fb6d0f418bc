#include "telemetry/progress.h"

#include <algorithm>
#include <cinttypes>
#include <unistd.h>

using namespace rubato;

Progress::Progress(std::FILE *out, bool quiet, int64_t epochs, int64_t samples,
                   int64_t budget)
    : out(out), quiet(quiet), terminal(isatty(fileno(out)) == 1),
      epochs(epochs), samplesPerEpoch(samples), budget(budget) {}

double Progress::epochLoss() const {
  return epochSamples ? epochLossSum / static_cast<double>(epochSamples) : 0;
}

/// The next samples of one epoch.
void Progress::add(int64_t in, int64_t samples, double loss, double until) {
  if (epochOver || in != epoch) {
    epochEnd();
    epochOver = false;
    epoch = in;
    epochSamples = 0;
    epochLossSum = 0;
    epochStart = now;
  }
  epochSamples += samples;
  epochLossSum += loss * static_cast<double>(samples);
  now = until;
}

void Progress::round(const RoundRecord &record) {
  int64_t before = record.seen - record.samples;
  double begin = now,
         each = (record.seconds - begin) / static_cast<double>(record.samples);
  for (int64_t at = before, end = std::min(record.seen, budget); at < end;) {
    int64_t in = at / samplesPerEpoch + 1;
    int64_t part = std::min(end, in * samplesPerEpoch) - at;
    at += part;
    add(in, part, record.loss, begin + each * static_cast<double>(at - before));
  }
  if (record.seen <= budget)
    now = record.seconds;
  constexpr double interval = 0.2;
  if (quiet || !terminal || epochOver || record.seconds < printed + interval)
    return;
  printed = record.seconds;
  line("\x1b[K\r");
  std::fflush(out);
}

void Progress::line(const char *end) {
  double elapsed = now - epochStart;
  double rate = elapsed > 0 ? static_cast<double>(epochSamples) / elapsed : 0;
  std::fprintf(out, "epoch %" PRId64, epoch);
  if (epochs)
    std::fprintf(out, "/%" PRId64, epochs);
  std::fprintf(out,
               "  %" PRId64 "/%" PRId64 " samples  loss %.4f  %.0f samples/s%s",
               epochSamples, samplesPerEpoch, epochLoss(), rate, end);
}

void Progress::epochEnd() {
  if (epochOver)
    return;
  epochOver = true;
  if (quiet)
    return;
  line(terminal ? "\x1b[K\n" : "\n");
  std::fflush(out);
}

void Progress::evaluation(const EvalRecord &record) {
  // The next epoch's rate counts training alone.
  now = record.seconds;
  if (quiet)
    return;
  std::fprintf(out, "epoch %" PRId64 "  evaluation  loss %.4f", record.epoch,
               record.loss);
  if (record.hasAccuracy)
    std::fprintf(out, "  accuracy %.4f", record.accuracy());
  std::fprintf(out, "  (%" PRId64 " samples)\n", record.samples);
  std::fflush(out);
}

void Progress::summary(
    const std::vector<std::pair<std::string, std::string>> &rows) {
  if (quiet)
    return;
  size_t width = 0;
  for (const auto &row : rows)
    width = std::max(width, row.first.size());
  std::fprintf(out, "\n");
  for (const auto &[name, value] : rows)
    std::fprintf(out, "%-*s  %s\n", static_cast<int>(width), name.c_str(),
                 value.c_str());
  std::fflush(out);
}
