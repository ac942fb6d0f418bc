// The header of a run log, read. Whoever replays a run must have its
// executable, options and data.
#pragma once

#include "launch/job.h"

namespace rubato {

/// What a replay takes from the header of a log.
struct RecordedRun {
  int64_t workers = 1;
  int64_t budget = 0; // samples
  std::optional<double> lr;
  uint64_t seed = 0;
  bool shuffle = true;
  DatasetFiles data;
};

/// Reads a header. An error where its run did not end well, or where `unit` is
/// not what ran.
Status readHeader(const Unit &unit, const std::string &header,
                  RecordedRun &run);

/// Whether the data that were loaded are the recorded ones.
Status checkData(const Job &job, const std::string &header);

} // namespace rubato
