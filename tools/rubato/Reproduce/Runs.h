// The runs of a study: compiles the trainers that they need, starts them and
// reads when they reached the target.
#ifndef RUBATO_TOOLS_RUBATO_REPRODUCE_RUNS_H
#define RUBATO_TOOLS_RUBATO_REPRODUCE_RUNS_H

#include "Study.h"
#include "Task.h"
#include "Workshop.h"

#include <map>

class Runs {
public:
  /// At most `jobs` runs at a time.
  Runs(const Study &study, Workshop &workshop, unsigned jobs)
      : study(study), workshop(workshop), jobs(jobs) {}

  /// Writes the task and the cluster of a setting. Trainers are compiled when
  /// they are first run.
  llvm::Error prepare(const Setting &setting);

  /// A run of a variant with a step of `factor` / L.
  struct Plan {
    const Setting &setting;
    const Variant &variant;
    double factor;
    double longest; // seconds of virtual time
  };
  /// Times to the target for seeds 0, 1, …; infinite where it was not reached.
  /// Where `hopeless` runs have missed it, the rest is taken as missed. With
  /// `counts`, what happened in the runs that arrived is added there.
  llvm::Expected<std::vector<double>> times(const Plan &plan, int64_t seeds,
                                            int64_t hopeless,
                                            std::vector<Counts> *counts = {});
  /// The gap to the optimum along the time of one run, as a share of the
  /// initial gap.
  llvm::Expected<std::vector<std::pair<double, double>>>
  curve(const Plan &plan);

private:
  std::string trainerOf(const Setting &setting, const Variant &variant) const;
  llvm::Error compileTrainer(const Setting &setting, const Variant &variant);
  llvm::Expected<double> run(const Plan &plan, int64_t seed,
                             const std::string &metrics);

  const Study &study;
  Workshop &workshop;
  unsigned jobs;
  std::map<double, LeastSquares> tasks; // by noise
};

#endif // RUBATO_TOOLS_RUBATO_REPRODUCE_RUNS_H
