// The file of a recorded run.
//
//   rubato run log 3 BYTES CHECKSUM     bytes behind this line, and their sum
//   {"…": …}                            what was run: JSON on one line
//   streams                             the events of each strand, in a row
//
// The header's "streams" lists rank, strand and bytes of each. What else is in
// it is the affair of whoever records (train/record.h).
#pragma once

#include "data/mapping.h"
#include "support/status.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rubato {

inline constexpr int runLogVersion = 3;

/// The events of one strand (program/run_events.h); not owned.
struct RunStream {
  int rank = 0, strand = 0;
  std::string_view events;
};

struct RunLog {
  std::string header; // JSON without "streams"
  std::vector<RunStream> streams;
  std::shared_ptr<Mapping> file; // what was read lies there
};

/// Writes it whole or not at all.
Status writeRunLog(const std::string &path, const RunLog &log);

/// Reads it, and trusts nothing in it. An error says what is wrong with the
/// file and what to do.
Status readRunLog(const std::string &path, RunLog &log);

} // namespace rubato
