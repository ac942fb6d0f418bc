// What a comparison of algorithms is made of. Studies are data: which clusters,
// which algorithms, what the paper claims; the rest is the same for all.
#ifndef RUBATO_TOOLS_RUBATO_REPRODUCESTUDY_H
#define RUBATO_TOOLS_RUBATO_REPRODUCESTUDY_H

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

/// What one contender does in one setting.
struct Cell {
  static constexpr double never = std::numeric_limits<double>::infinity();
  Choice choice;
  std::vector<double> times;                    // to the target, of all seeds
  std::vector<std::pair<double, double>> curve; // of the first seed

  /// Of the times, sorted; 0.5 is the median.
  double quantile(double share) const;
  double median() const { return quantile(0.5); }
};
double quantileOf(std::vector<double> values, double share);

struct Verdict {
  bool reproduced = false;
  std::string text;
};

struct Results;
struct Study {
  std::string name, title;
  std::vector<std::string> notes; // how it differs from the paper
  std::vector<Setting> settings;
  std::vector<Contender> contenders; // the paper's own comes last
  /// One per setting and contender: what tuning found, for --quick.
  std::vector<std::vector<Choice>> tuned;
  int64_t batch = 0, workers = 0;
  double observe = 1;       // seconds between two looks at the model
  double largestFactor = 4; // of step sizes that are tried
  double longest = 0;       // seconds of virtual time
  Verdict (*judge)(const Results &) = nullptr;
};

struct Results {
  const Study &study;
  std::vector<size_t> settings;         // those that were looked at
  std::vector<std::vector<Cell>> cells; // by position in `settings`, contender
  int64_t seeds = 0;
  bool tuned = false; // here, not by the study's own table

  const Cell &own(size_t position) const { return cells[position].back(); }
  /// How many times as long a contender takes as the paper's algorithm.
  double ratio(size_t position, size_t contender) const;
  /// The fastest baseline.
  size_t best(size_t position) const;
};

/// The study of a paper, or nothing.
std::optional<Study> findStudy(const std::string &name);
Study absSgdStudy();
Study boundedStalenessStudy();

#endif // RUBATO_TOOLS_RUBATO_REPRODUCESTUDY_H
