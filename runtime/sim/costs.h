// What things take in virtual time, in nanoseconds.
#pragma once

#include <cstdint>
#include <string_view>

namespace rubato::sim {

/// A piece of work that is about to be done.
struct Work {
  std::string_view name; // "gradient", "step", "atomic" or another function
  int rank = 0, strand = 0;
  int64_t round = 0;
  int64_t start = 0;   // when it begins
  int64_t samples = 0; // of the micro-batch at hand
};

/// Durations; each is a function of its arguments and of nothing else, so that
/// a run can be had again.
class Costs {
public:
  virtual ~Costs() = default;

  /// `draws` counts the durations that this strand has drawn.
  virtual int64_t work(const Work &work, uint64_t &draws) = 0;
  /// From the last member's start to everybody's completion.
  virtual int64_t collective(int channel, int64_t number, int64_t bytes,
                             int members) = 0;
  /// From the second member's start; `rank` is the lower of the two.
  virtual int64_t exchange(int rank, int64_t tag, int64_t bytes) = 0;
  /// Between a server and the worker `rank`.
  virtual int64_t message(int rank, int64_t ticket, int64_t bytes) = 0;
  /// The answer of a central policy or of a vote.
  virtual int64_t ask(int rank, int64_t call) = 0;

  /// Whether a worker drops a void job when its next model arrives, in the
  /// middle of a local step if need be; else it does so at the end of the step.
  virtual bool restartsAtOnce() const { return false; }
};

} // namespace rubato::sim
