// A study from its first run to its page.
#include "Compare.h"

#include "Bar.h"
#include "Page.h"
#include "Tune.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

/// Runs everything; cells appear in `results`.
static Error compare(Runs &runs, const Workshop &workshop,
                     const CompareOptions &options, Results &results) {
  const Study &study = results.study;
  for (size_t i = 0; i != study.settings.size(); ++i)
    if (!options.quick || study.settings[i].quick)
      results.settings.push_back(i);
  Bar bar(results.settings.size() * study.contenders.size());
  for (size_t index : results.settings) {
    const Setting &setting = study.settings[index];
    if (Error error = runs.prepare(setting))
      return error;
    std::vector<Cell> &cells = results.cells.emplace_back();
    for (size_t c = 0; c != study.contenders.size(); ++c) {
      const Contender &contender = study.contenders[c];
      bar.show(setting.name + ", " + contender.name + ", " +
               std::to_string(workshop.started()) + " runs");
      Expected<Cell> cell =
          options.tuned
              ? measureCell(runs, study, setting, contender,
                            study.tuned[index][c], results.seeds, study.longest)
              : tuneCell(runs, study, setting, contender, results.seeds);
      if (!cell)
        return cell.takeError();
      if (!options.report.empty() && std::isfinite(cell->median())) {
        constexpr double further = 1.2;
        auto curve =
            runs.curve({setting, contender.variants[cell->choice.variant],
                        cell->choice.factor,
                        further * cell->quantile(1) < study.longest
                            ? further * cell->quantile(1)
                            : study.longest});
        if (!curve)
          return curve.takeError();
        cell->curve = std::move(*curve);
      }
      cells.push_back(std::move(*cell));
      bar.advance();
    }
  }
  for (const Probe &probe : study.probes) {
    Cell &cell = results.probes.emplace_back();
    if (!is_contained(results.settings, probe.setting))
      continue;
    Expected<Cell> found = measureCell(
        runs, study, study.settings[probe.setting],
        study.contenders[probe.contender], {probe.variant, probe.factor},
        results.seeds, probe.longest);
    if (!found)
      return found.takeError();
    cell = std::move(*found);
  }
  return Error::success();
}

Expected<Verdict> reproduceStudy(const Study &study,
                                 const CompareOptions &options,
                                 Workshop &workshop) {
  Runs runs(study, workshop, options.jobs);
  Results results{study, {}, {}, options.seeds, !options.tuned};
  if (!results.seeds)
    results.seeds = options.quick ? study.quickSeeds : study.seeds;
  if (Error error = compare(runs, workshop, options, results))
    return std::move(error);
  Verdict verdict = study.judge(results);
  printTable(outs(), results);
  if (study.print)
    study.print(outs(), results);
  if (Error error = writeReport(options.report, [&](raw_ostream &os) {
        writePage(os, results, verdict);
      }))
    return std::move(error);
  return verdict;
}
