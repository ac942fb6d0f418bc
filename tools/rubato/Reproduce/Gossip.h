// A comparison of gossip on rings with and without acceleration: what is run,
// what comes out, and how it is told.
#ifndef RUBATO_TOOLS_RUBATO_REPRODUCE_GOSSIP_H
#define RUBATO_TOOLS_RUBATO_REPRODUCE_GOSSIP_H

#include "Study.h"
#include "Task.h"
#include "Workshop.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

struct GossipOptions {
  std::string report; // a file; empty: none
  bool quick = false;
  int64_t seeds = 0; // 0: the default
  unsigned jobs = 1; // runs at a time
};

/// What is compiled.
struct GossipTrainer {
  bool accelerated = false;
  double rate = 1;      // averagings per gradient
  bool repeats = false; // a pair may average again at once
};

/// One simulated run on a ring, and what was seen of it.
struct GossipRun {
  GossipTrainer trainer;
  int64_t members = 0, steps = 0, seed = 0;
  /// Members start apart and learn nothing; otherwise they start together and
  /// gradients have noise.
  bool apart = false;
  /// Gradients of a member so far, and the mean squared distance of a parameter
  /// to its mean over the members.
  std::vector<std::pair<double, double>> points = {};

  /// How fast the distance decays per gradient, in the second half of what is
  /// clearly above the rounding of 32-bit floats.
  double decay() const;
  /// The mean distance after so many gradients, in units of
  /// (step / (1 - momentum))².
  double steady(int64_t burnIn) const;
};

/// Of the steady state: momentum, and the step along the quadratic.
inline constexpr double kGossipMomentum = 0.9, kGossipStep = 5e-4;

class GossipRuns {
public:
  /// At most `jobs` runs at a time.
  GossipRuns(Workshop &workshop, unsigned jobs)
      : workshop(workshop), jobs(jobs) {}
  /// Writes the task, compiles what the runs need and runs them.
  llvm::Error run(std::vector<GossipRun> &runs);

private:
  llvm::Error prepare(const std::vector<GossipRun> &runs);
  llvm::Error compileTrainer(const GossipTrainer &trainer);
  llvm::Expected<std::vector<std::pair<double, double>>>
  simulate(const GossipRun &run, size_t index);
  std::string trainerOf(const GossipTrainer &trainer) const;

  Workshop &workshop;
  unsigned jobs;
  Quadratic task;
  std::string cluster; // a file
};

/// A ring and a matcher.
struct GossipSetting {
  std::string name, what;
  int64_t members = 0;
  bool repeats = false;
  double bar = 0;                        // on the ratio of decays; 0: none
  int64_t plainSteps = 0, fastSteps = 0; // of the runs that start apart
  // Means over seeds.
  double plainDecay = 0, fastDecay = 0;
  std::vector<double> plain; // steady distance at each of the rates
  double fast = 0;           // that of acceleration at rate 1
  /// Of the first seed: plain and accelerated.
  std::vector<std::pair<double, double>> curves[2];

  double ratio() const { return fastDecay / plainDecay; }
  /// The rate at which plain gossip keeps members as close together; infinite
  /// where none of the rates does.
  double equivalent(const std::vector<double> &rates) const;
};

struct GossipResults {
  std::string title;
  std::vector<std::string> notes;
  std::vector<double> rates;
  std::vector<GossipSetting> settings;
  int64_t seeds = 1;
};

void printTable(llvm::raw_ostream &os, const GossipResults &results);
void writePage(llvm::raw_ostream &os, const GossipResults &results,
               const Verdict &verdict);

/// The whole comparison, told and judged.
llvm::Expected<Verdict> reproduceA2cid2(const GossipOptions &options,
                                        Workshop &workshop);

#endif // RUBATO_TOOLS_RUBATO_REPRODUCE_GOSSIP_H
