// What a person sees of a run: a line that moves on a terminal, one line per
// epoch elsewhere, and a summary.
#pragma once

#include "telemetry/metrics.h"

#include <string>
#include <vector>

namespace rubato {

class Progress {
public:
  /// `epochs` and `samples` per epoch are for the "of" in the line; 0 epochs
  /// when the run is measured in steps. What members see past the `budget` of
  /// samples is of no epoch.
  Progress(std::FILE *out, bool quiet, int64_t epochs, int64_t samples,
           int64_t budget);
  /// For a summary alone.
  Progress(std::FILE *out, bool quiet) : Progress(out, quiet, 0, 1, 0) {}

  /// After a round, or an interval, which may end epochs and begin others;
  /// tells those that ended. Prints at most five times a second, and only on a
  /// terminal.
  void round(const RoundRecord &record);

  /// After the last round of an epoch, or of the run.
  void epochEnd();
  void evaluation(const EvalRecord &record);

  /// Mean loss of the epoch so far.
  double epochLoss() const;

  /// The table at the end; rows of name and value.
  void summary(const std::vector<std::pair<std::string, std::string>> &rows);

private:
  void add(int64_t epoch, int64_t samples, double loss, double until);
  void line(const char *end);

  std::FILE *out;
  bool quiet, terminal;
  int64_t epochs, samplesPerEpoch, budget;
  int64_t epoch = 0, epochSamples = 0;
  double epochLossSum = 0, epochStart = 0, now = 0, printed = 0;
  bool epochOver = true;
};

} // namespace rubato
