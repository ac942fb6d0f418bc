// Trainers and simulated runs: compiles what a study needs, starts ./train
// simulate in child processes and reads when they reached the target.
#ifndef RUBATO_TOOLS_RUBATO_REPRODUCERUNS_H
#define RUBATO_TOOLS_RUBATO_REPRODUCERUNS_H

#include "ReproduceStudy.h"
#include "ReproduceTask.h"

#include "llvm/Support/Error.h"

#include <atomic>
#include <map>

class Runs {
public:
  /// Everything is written into `folder`; at most `jobs` runs at a time.
  Runs(const Study &study, std::string folder, std::string linkFiles,
       unsigned jobs)
      : study(study), folder(std::move(folder)),
        linkFiles(std::move(linkFiles)), jobs(jobs) {}

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

  int64_t started() const { return runs; }

private:
  std::string inside(const std::string &name) const;
  std::string trainerOf(const Setting &setting, const Variant &variant) const;
  llvm::Error compileTrainer(const Setting &setting, const Variant &variant);
  llvm::Expected<double> run(const Plan &plan, int64_t seed,
                             const std::string &metrics);

  const Study &study;
  std::string folder, linkFiles;
  unsigned jobs;
  std::map<double, LeastSquares> tasks; // by noise
  std::atomic<int64_t> runs = 0;
};

#endif // RUBATO_TOOLS_RUBATO_REPRODUCERUNS_H
