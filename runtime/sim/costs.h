// What things take in virtual time, in nanoseconds.
#pragma once

#include "sim/uplinks.h"

#include <cstdint>
#include <span>
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

/// A collective, or what of it travels at a time.
struct Reduction {
  int channel = 0;
  int64_t number = 0; // on the channel
  int64_t bytes = 0;
  int members = 1;
};

/// How long a message takes through the links on its way.
struct Passage {
  int64_t transfer = 0; // occupies them
  int64_t latency = 0;  // passes then, and occupies nothing
  /// Of a mailbox: whether the server's link carries it too. A fixed time is
  /// that of the worker's link.
  bool throughServer = false;
};

/// Durations; each is a function of its arguments and of nothing else, so that
/// a run can be had again.
class Costs {
public:
  virtual ~Costs() = default;

  /// `draws` counts the durations that this strand has drawn.
  virtual int64_t work(const Work &work, uint64_t &draws) = 0;
  /// How long it occupies all links, from the last member's start on or when
  /// they are free (sim/links.h).
  virtual int64_t collective(const Reduction &reduction) = 0;
  /// Of either of its two messages, from the second member's start; `rank` is
  /// the lower of the two.
  virtual Passage exchange(int rank, int64_t tag, int64_t bytes) = 0;
  /// Between a server and the worker `rank`.
  virtual Passage message(int rank, int64_t ticket, int64_t bytes) = 0;
  /// The answer of a central policy or of a vote.
  virtual int64_t ask(int rank, int64_t call) = 0;

  /// Links that members share; their members are ranks of the run.
  virtual std::span<const Uplink> uplinks() const { return {}; }

  /// Whether a worker drops a void job when its next model arrives, in the
  /// middle of a local step if need be; else it does so at the end of the step.
  virtual bool restartsAtOnce() const { return false; }
};

} // namespace rubato::sim
