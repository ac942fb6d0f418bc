// The search for step sizes.
#include "Tune.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace llvm;

namespace {

class Tuner {
public:
  Tuner(Runs &runs, const Study &study, const Setting &setting,
        const Contender &contender, int64_t seeds)
      : runs(runs), study(study), setting(setting), contender(contender),
        seeds(seeds) {}

  Expected<Cell> tune();
  Expected<Cell> measure(Choice choice, double longest);

private:
  struct Coarse {
    Choice choice;
    double median = Cell::never;
  };
  Expected<Coarse> search(size_t variant, double limit);
  double longest() const;

  Runs &runs;
  const Study &study;
  const Setting &setting;
  const Contender &contender;
  int64_t seeds;
};

/// Runs need not go on for much longer than the best: they are worse anyway.
constexpr double kPatience = 1.5;

/// Where a reference says how long the tuned algorithm takes, a run that takes
/// much longer is not at its best.
double Tuner::longest() const {
  constexpr double patience = 2.5;
  if (study.reference.empty())
    return study.longest;
  double wanted =
      study
          .reference[static_cast<size_t>(&setting - study.settings.data())]
                    [static_cast<size_t>(&contender - study.contenders.data())];
  return wanted == 0 ? study.longest
                     : std::min(study.longest, patience * wanted);
}

Expected<Tuner::Coarse> Tuner::search(size_t variant, double limit) {
  constexpr int64_t few = 7;
  constexpr double smallest = 1.0 / 128;
  int64_t some = std::min(seeds, few);
  Coarse best;
  int worse = 0;
  for (double factor = study.largestFactor; factor >= smallest && worse < 2;
       factor /= 2) {
    double most = std::min(longest(), kPatience * best.median);
    Expected<std::vector<double>> times = runs.times(
        {setting, contender.variants[variant], factor, std::min(most, limit)},
        some, some / 2 + 1);
    if (!times)
      return times.takeError();
    double median = quantileOf(*times, 0.5);
    if (median < best.median) {
      best = {{variant, factor}, median};
      worse = 0;
    } else if (best.median != Cell::never) {
      ++worse;
    }
  }
  return best;
}

Expected<Cell> Tuner::measure(Choice choice, double longest) {
  Cell cell;
  cell.choice = choice;
  Expected<std::vector<double>> times =
      runs.times({setting, contender.variants[choice.variant], choice.factor,
                  std::min(study.longest, longest)},
                 seeds, seeds / 2 + 1, study.counts ? &cell.counts : nullptr);
  if (!times)
    return times.takeError();
  cell.times = std::move(*times);
  return cell;
}

Expected<Cell> Tuner::tune() {
  constexpr double near = 1.1; // variants that deserve a second look
  constexpr double spread = 3; // slow seeds of the final runs shall be seen
  std::vector<Coarse> found;
  double best = Cell::never;
  for (size_t i = 0; i != contender.variants.size(); ++i) {
    Expected<Coarse> coarse = search(i, kPatience * best);
    if (!coarse)
      return coarse.takeError();
    found.push_back(*coarse);
    best = std::min(best, coarse->median);
  }
  Cell winner;
  winner.choice = found[0].choice;
  for (const Coarse &coarse : found)
    for (double side : {1.0, std::numbers::sqrt2, 1 / std::numbers::sqrt2}) {
      if (coarse.median == Cell::never || coarse.median > near * best)
        continue;
      Choice choice{coarse.choice.variant, coarse.choice.factor * side};
      Expected<Cell> cell = measure(choice, spread * best);
      if (!cell)
        return cell.takeError();
      if (winner.times.empty() || cell->median() < winner.median())
        winner = std::move(*cell);
    }
  return winner;
}

} // namespace

Expected<Cell> tuneCell(Runs &runs, const Study &study, const Setting &setting,
                        const Contender &contender, int64_t seeds) {
  return Tuner(runs, study, setting, contender, seeds).tune();
}

Expected<Cell> measureCell(Runs &runs, const Study &study,
                           const Setting &setting, const Contender &contender,
                           Choice choice, int64_t seeds, double longest) {
  return Tuner(runs, study, setting, contender, seeds).measure(choice, longest);
}
