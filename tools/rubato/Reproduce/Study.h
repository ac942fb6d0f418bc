// What a comparison of algorithms is made of. Studies are data: which clusters,
// which algorithms, what the paper claims; the rest is the same for all.
#ifndef RUBATO_TOOLS_RUBATO_REPRODUCE_STUDY_H
#define RUBATO_TOOLS_RUBATO_REPRODUCE_STUDY_H

#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// A cluster and a task, with the accuracy that is asked for.
struct Setting {
  std::string name, what; // "C1", "speeds 1:1:2:4"
  std::string cluster;    // a name in examples/clusters
  double noise = 0;       // of the labels
  double share = 0;       // of the initial gap that may be left
  int64_t steps = 0;      // local steps of a job; 0: as the algorithm says
  bool quick = true;      // also looked at with --quick
};

/// An algorithm with its constants.
struct Variant {
  std::string label; // "H = 4"; empty where there is one variant only
  std::string algorithm;
  std::vector<std::string> options;   // of the algorithm
  std::vector<std::string> arguments; // of ./train
  double stepScale = 1;               // on the learning rate
};

/// A row of the table: the best of its variants counts.
struct Contender {
  std::string name;
  std::vector<Variant> variants;
  bool baseline = true; // one that the paper's algorithm is compared with
};

/// Where tuning came to: a variant and its step size in units of 1 / L.
struct Choice {
  size_t variant = 0;
  double factor = 0;
};

/// What a server and its workers did until the target was reached.
struct Counts {
  double rounds = 0, uploads = 0, downloads = 0, restarts = 0;
  double wasted = 0;    // share of the computing time that is in no model
  double staleness = 0; // the largest of an accepted upload
};

/// What one contender does in one setting.
struct Cell {
  static constexpr double never = std::numeric_limits<double>::infinity();
  Choice choice;
  std::vector<double> times;  // to the target, of all seeds
  std::vector<Counts> counts; // of the runs that arrived, if asked for
  std::vector<std::pair<double, double>> curve; // of the first seed

  /// Of the times, sorted; 0.5 is the median.
  double quantile(double share) const;
  double median() const { return quantile(0.5); }
  /// Of the runs that arrived; nothing to say where none did.
  double medianOf(double Counts::*what) const;
};
double quantileOf(std::vector<double> values, double share);

struct Verdict {
  bool reproduced = false;
  std::string text;
};

/// One contender at a step size that it was not tuned to.
struct Probe {
  size_t setting, contender, variant;
  double factor;  // step size in units of 1 / L
  double longest; // seconds of virtual time
};

struct Results;
struct Study {
  std::string name, title;
  std::vector<std::string> notes; // how it differs from the paper
  std::vector<Setting> settings;
  std::vector<Contender> contenders; // the paper's own comes last
  /// One per setting and contender: what tuning found, for --quick.
  std::vector<std::vector<Choice>> tuned;
  /// One per setting and contender: medians that another simulation of the
  /// same comparison gave; 0 where it has none.
  std::vector<std::vector<double>> reference;
  std::vector<Probe> probes;
  int64_t batch = 0, workers = 0;
  bool referenceData = false; // the task is the reference's own
  int64_t seeds = 25;         // runs of each, where nobody says
  int64_t quickSeeds = 3;     // the same with --quick
  bool counts = false;        // also of rounds and messages
  double observe = 1;         // seconds between two looks at the model
  double largestFactor = 4;   // of step sizes that are tried
  double longest = 0;         // seconds of virtual time
  Verdict (*judge)(const Results &) = nullptr;
  /// What else is printed, behind the tables that all studies have.
  void (*print)(llvm::raw_ostream &, const Results &) = nullptr;

  /// Sets the reference from rows by contender, in the order of the settings.
  void compareWith(const std::vector<std::vector<double>> &rows);
};

struct Results {
  const Study &study;
  std::vector<size_t> settings;         // those that were looked at
  std::vector<std::vector<Cell>> cells; // by position in `settings`, contender
  int64_t seeds = 0;
  bool tuned = false;            // here, not by the study's own table
  std::vector<Cell> probes = {}; // by position in the study's list

  const Cell &own(size_t position) const { return cells[position].back(); }
  /// How many times as long a contender takes as the paper's algorithm.
  double ratio(size_t position, size_t contender) const;
  /// The fastest baseline.
  size_t best(size_t position) const;
  /// The same ratio of the reference; 0 where it has none.
  double referenceRatio(size_t position, size_t contender) const;
};

/// The study of a paper, or nothing.
std::optional<Study> findStudy(const std::string &name);
Study absSgdStudy();
Study boundedStalenessStudy();

#endif // RUBATO_TOOLS_RUBATO_REPRODUCE_STUDY_H
