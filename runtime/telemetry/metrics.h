// --metrics: one JSON object per line, for plots and for scripts.
#pragma once

#include "support/status.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace rubato {

/// A finished training round.
struct RoundRecord {
  int64_t round = 0, epoch = 0; // both from 1
  int64_t samples = 0;          // of this round
  int64_t seen = 0;             // since the start
  double loss = 0;              // mean over the round's samples
  double seconds = 0;           // since the start
};

/// A finished evaluation.
struct EvalRecord {
  int64_t round = 0, epoch = 0;
  int64_t samples = 0, correct = 0;
  double loss = 0; // mean
  double seconds = 0;
  bool hasAccuracy = false; // the labels are classes

  double accuracy() const {
    return samples ? static_cast<double>(correct) / static_cast<double>(samples)
                   : 0;
  }
};

/// Writes through a buffer that is emptied about once a second, so that a
/// round costs no system call. Does nothing until opened.
class Metrics {
public:
  Metrics() = default;
  Metrics(const Metrics &) = delete;
  Metrics &operator=(const Metrics &) = delete;
  ~Metrics();

  Status open(const std::string &path);
  void round(const RoundRecord &record);
  /// A while of a run whose rounds are each member's own.
  void interval(const RoundRecord &record);
  void evaluation(const EvalRecord &record);
  /// A line that somebody else has written, without its end.
  void line(const std::string &json);

  /// Writes what is left; says whether every line arrived.
  Status close();

private:
  void flushSometimes(double seconds);

  std::FILE *file = nullptr;
  std::string path;
  double flushed = 0;
};

} // namespace rubato
