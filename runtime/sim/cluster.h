// A described cluster: how fast its workers are, how their speed varies, and
// what the links between them take. Read from a cluster.toml
// (examples/clusters).
#pragma once

#include "sim/costs.h"
#include "support/status.h"
#include "unit/spec.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rubato::sim {

/// How the duration of a gradient varies around what its samples take.
struct DurationLaw {
  enum class Kind {
    Constant,
    Jitter,      // within a share
    Exponential, // shift + mean · Exp(1); a shift of 0 is the plain law
    Pareto,      // of mean 1
    Phases,      // normal and slow times take turns
    Trace        // factors from a file, over and over
  };
  Kind kind = Kind::Constant;
  double share = 0;                          // jitter
  double shift = 0, mean = 1;                // exponential
  double shape = 2;                          // pareto
  double slow = 1;                           // phases: how many times slower
  double normalSeconds = 0, slowSeconds = 0; // phases: their mean lengths
  std::vector<double> factors;               // trace
  /// One draw for all gradients of a round, instead of one for each.
  bool perJob = false;
};

struct ClusterWorker {
  double secondsPerSample = 0;
  double overhead = 0; // seconds per micro-batch
  DurationLaw law;
};

/// Seconds and bytes per second. A fixed duration wins over the model, and
/// occupies the links as long.
struct ClusterLink {
  double latency = 0, bandwidth = 0; // a bandwidth of 0: no limit
  std::optional<double> allReduce, exchange, message, ask;
};

struct Cluster {
  std::vector<ClusterWorker> workers;
  bool repeat = false;         // the list is repeated over more workers
  bool restartsAtOnce = false; // or at the end of a local step
  ClusterLink link;
  std::vector<Uplink> uplinks;
};

/// Reads a cluster file; traces that it names lie beside it. Errors say file,
/// line and what to do.
Status readCluster(const std::string &path, Cluster &cluster);
Status parseCluster(std::string_view text, const std::string &path,
                    Cluster &cluster);

/// Durations of a cluster. Servers of mailboxes compute in no time and have no
/// entry in the file: its workers are the other members, by ascending rank.
class ClusterCosts : public Costs {
public:
  static Status make(Cluster cluster, const ProgramSpec &spec, int members,
                     uint64_t seed, std::unique_ptr<ClusterCosts> &costs);

  int64_t work(const Work &work, uint64_t &draws) override;
  int64_t collective(const Reduction &reduction) override;
  Passage exchange(int rank, int64_t tag, int64_t bytes) override;
  Passage message(int rank, int64_t ticket, int64_t bytes) override;
  int64_t ask(int rank, int64_t call) override;
  bool restartsAtOnce() const override { return cluster.restartsAtOnce; }
  std::span<const Uplink> uplinks() const override { return cluster.uplinks; }

private:
  /// Where a worker is in its normal and slow times.
  struct Phase {
    int64_t number = 0;
    double begin = 0, end = -1; // no phase yet
  };

  double factor(const DurationLaw &law, const Work &work, uint64_t &draws);
  double throughPhases(const DurationLaw &law, int rank, double start,
                       double seconds);
  double lengthOf(const DurationLaw &law, int rank, int64_t number) const;
  Passage passage(const std::optional<double> &fixed, int64_t bytes) const;
  double ringStep(double bytes) const;

  Cluster cluster;
  uint64_t seed = 0;
  std::vector<const ClusterWorker *> workers; // by rank; null: a server
  std::vector<int> uplinkOf;                  // by rank; -1: none
  std::vector<Phase> phases;                  // by rank
};

} // namespace rubato::sim
