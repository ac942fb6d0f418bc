// What a run log says of the run itself: executable, options, data. Whoever
// replays it must have the same.
#pragma once

#include "launch/job.h"
#include "program/run_log.h"

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

/// The header of the log of a run that ended with the exit code `code`.
Status recordHeader(const Job &job, int code, std::string &header);

/// Reads a header. An error where its run did not end well, or where `unit` is
/// not what ran.
Status readHeader(const Unit &unit, const std::string &header,
                  RecordedRun &run);

/// Whether the data that were loaded are the recorded ones.
Status checkData(const Job &job, const std::string &header);

/// After the last member: joins what they recorded into one log. Takes and
/// returns the exit code; prints its error.
int endRecord(const Job &job, int code);

} // namespace rubato
