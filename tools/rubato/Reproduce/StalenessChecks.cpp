// The checks of bounded staleness, each over the settings that were looked at.
#include "StalenessChecks.h"

#include "Reference.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace llvm;

namespace {

/// One statement and whether it holds.
struct Check {
  bool holds = true;
  std::string text;
};

class Checker {
public:
  explicit Checker(const Results &results) : results(results) {}

  std::vector<Check> all() const {
    std::vector<Check> checks = {againstAdaSync(), onAverage(),
                                 againstFixed(),   rounds(),
                                 againstKSync(),   staleness()};
    if (!results.probes.empty() && !results.probes.back().times.empty())
      checks.push_back(commonStep());
    return checks;
  }

private:
  const std::string &name(size_t position) const {
    return results.study.settings[results.settings[position]].name;
  }
  /// Asks for a ratio of at least `bar` (by the name of a setting) everywhere.
  template <typename Bar>
  Check atLeast(std::string text, size_t contender, Bar bar) const {
    Check check{true, std::move(text) + ":"};
    for (size_t i = 0; i != results.settings.size(); ++i) {
      double wanted = bar(name(i)), ratio = results.ratio(i, contender);
      if (wanted == 0)
        continue;
      check.holds &= ratio >= wanted; // false where nothing arrives
      check.text += formatv(
          " {0} {1:F2}{2}", name(i), ratio,
          ratio >= wanted ? "" : formatv(" (not {0:F2})", wanted).str());
    }
    return check;
  }

  Check againstAdaSync() const {
    return atLeast(
        "AdaSync takes at least 1.05 times as long, 0.9 in D5 and P5", kAdaSync,
        [](const std::string &setting) {
          return setting == "D5" || setting == "P5" ? 0.9 : 1.05;
        });
  }

  Check onAverage() const {
    constexpr double asked = 1.1;
    double mean = geometricMean(results, kAdaSync);
    return {mean >= asked,
            formatv("AdaSync takes at least {0:F1} times as long on average: "
                    "{1:F2}",
                    asked, mean)};
  }

  Check againstFixed() const {
    constexpr double asked = 1.15;
    Check check{true, ""};
    for (size_t contender : {kBounded1, kBounded10, kLocalSgd}) {
      Check one = atLeast(results.study.contenders[contender].name, contender,
                          [&](const std::string &) { return asked; });
      check.holds &= one.holds;
      check.text += (check.text.empty() ? "" : "; ") + one.text;
    }
    check.text =
        "A fixed number of uploads takes at least 1.15 times as long: " +
        check.text;
    return check;
  }

  Check rounds() const {
    constexpr double most = 2.6;
    Check check{true, "Rounds are at most 2.6 times those of local SGD:"};
    for (size_t i = 0; i != results.settings.size(); ++i) {
      double theirs = results.cells[i][kLocalSgd].medianOf(&Counts::rounds);
      double ratio = results.own(i).medianOf(&Counts::rounds) / theirs;
      check.holds &= std::isfinite(theirs) && ratio <= most;
      check.text += formatv(" {0} {1:F2}", name(i), ratio);
    }
    return check;
  }

  Check againstKSync() const {
    return atLeast(
        "K-sync takes at least 1.2 times as long, but in L5", kKSync,
        [](const std::string &setting) { return setting == "L5" ? 0 : 1.2; });
  }

  static double oldest(const Cell &cell) {
    double most = 0;
    for (const Counts &each : cell.counts)
      most = std::max(most, each.staleness);
    return most;
  }

  /// The bound that goes with the first number of uploads is the loosest.
  Check staleness() const {
    Check check{true, "No accepted upload is staler than the first bound, and "
                      "AdaSync's are:"};
    for (size_t i = 0; i != results.settings.size(); ++i) {
      const double starts[] = {2, 4, 8};
      double half = 0.5 * static_cast<double>(results.study.workers);
      double bound = std::max(
          1.0, std::ceil(half / starts[results.own(i).choice.variant]) - 1);
      double ours = oldest(results.own(i)),
             theirs = oldest(results.cells[i][kAdaSync]);
      check.holds &= ours <= bound && theirs > bound;
      check.text += formatv(" {0} {1:F0} of {2:F0} ({3:F0})", name(i), ours,
                            bound, theirs);
    }
    return check;
  }

  Check commonStep() const {
    const Cell &adaSync = results.probes[2], &abs = results.probes[3];
    return {
        !std::isfinite(adaSync.median()) && std::isfinite(abs.median()),
        "With a step of 0.25 / L in E5 AdaSync fails on most seeds, and ABS "
        "does not"};
  }

  const Results &results;
};

} // namespace

Verdict judgeStaleness(const Results &results) {
  std::vector<Check> checks = Checker(results).all();
  auto failed = std::count_if(checks.begin(), checks.end(),
                              [](const Check &check) { return !check.holds; });
  Verdict verdict;
  verdict.reproduced = failed == 0;
  verdict.text =
      formatv("AdaSync takes {0:F2} times as long as ABS to the target, on "
              "average over "
              "{1} settings; {2} of {3} checks hold",
              geometricMean(results, kAdaSync), results.settings.size(),
              checks.size() - static_cast<size_t>(failed), checks.size());
  return verdict;
}

void printStaleness(raw_ostream &os, const Results &results) {
  printReference(os, results);
  printCounts(os, results);
  printProbes(os, results);
  os << "Checks\n\n";
  for (const Check &check : Checker(results).all())
    os << (check.holds ? "  holds  " : "  FAILS  ") << check.text << "\n";
  os << "\n";
}
