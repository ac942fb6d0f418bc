// What happened in a simulation, in numbers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rubato::sim {

/// Times are nanoseconds of virtual time.
struct MemberStatistics {
  int64_t computing = 0; // inside gradients
  int64_t finished = 0;  // inside those of rounds that have ended
  int64_t useful = 0;    // inside those of accepted uploads
  int64_t gradients = 0, samples = 0;
  std::vector<int64_t> waiting; // of each strand, for others
  std::vector<int64_t> rounds;  // of each strand
  int64_t collectives = 0, averagings = 0, pushes = 0;
  int64_t accepted = 0; // uploads that counted; 0 for long: it starves
  int64_t endedAt = -1;
};

struct Statistics {
  std::vector<MemberStatistics> members;
  /// Accepted uploads by staleness, and repeats by the number of their bodies.
  std::map<int64_t, int64_t> staleness, repeats;
  /// Workers that a bound sent back, and uploads that came too late.
  int64_t restarts = 0, dropped = 0;
  /// Models that were sent to workers.
  int64_t downloads = 0;
  /// The most uploads that lay at a server at a time.
  int64_t longestQueue = 0;
  /// Exchanges of two, and how many of them followed one of the same two with
  /// nobody else in between for either.
  int64_t exchanges = 0, repeatedPairs = 0;
  /// Events of each kind, as the log names them, of all members.
  std::map<std::string, int64_t, std::less<>> events;
  /// Visible steps, and switches from strand to strand.
  int64_t steps = 0, switches = 0;
  int64_t time = 0; // when the last step happened

  double repeatedShare() const {
    return exchanges ? static_cast<double>(repeatedPairs) /
                           static_cast<double>(exchanges)
                     : 0;
  }
};

} // namespace rubato::sim
