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
  /// when the run is measured in steps.
  Progress(std::FILE *out, bool quiet, int64_t epochs, int64_t samples);

  /// After a round. Prints at most five times a second, and only on a
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
  void line(const char *end);

  std::FILE *out;
  bool quiet, terminal;
  int64_t epochs, samplesPerEpoch;
  RoundRecord last;
  int64_t epochSamples = 0;
  double epochLossSum = 0, epochStart = 0, printed = 0;
  bool epochOver = true;
};

} // namespace rubato
