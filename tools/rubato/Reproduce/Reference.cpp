// Measured medians beside those of a reference, and what servers did.
#include "Reference.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <functional>

using namespace llvm;

static constexpr unsigned kNames = 26, kColumn = 16;
/// Quartiles of the reference lie about so far from its medians, and at most.
static constexpr double kNear = 0.1, kFar = 0.2;
/// What stands where the reference has run another algorithm.
static constexpr const char *kNone = "none";

using Text = std::function<std::string(size_t position)>;

static void row(raw_ostream &os, const Results &results, StringRef name,
                const Text &value) {
  os << left_justify(name, kNames);
  for (size_t i = 0; i != results.settings.size(); ++i)
    os << right_justify(value(i), kColumn);
  os << "\n";
}

static const char *markOf(double deviation, double near, double far) {
  if (std::isnan(deviation) || std::abs(deviation) > far)
    return " !";
  return std::abs(deviation) > near ? " ~" : "";
}

void printReference(raw_ostream &os, const Results &results) {
  const Study &study = results.study;
  int inside = 0, close = 0, all = 0;
  os << "Beside the reference: its median and how far ours is from it; ~ above "
        "10 %, ! above 20 %; none: it has no such run\n\n";
  for (size_t c = 0; c != study.contenders.size(); ++c)
    row(os, results, study.contenders[c].name, [&](size_t i) -> std::string {
      double wanted = study.reference[results.settings[i]][c];
      if (wanted == 0)
        return kNone;
      double off = results.cells[i][c].median() / wanted - 1;
      ++all;
      inside += std::abs(off) <= kNear;
      close += std::abs(off) <= kFar;
      return formatv("{0:F1} {1}{2:F0} %{3}", wanted, off < 0 ? "" : "+",
                     100 * off, markOf(off, kNear, kFar));
    });
  os << formatv("\n{0} of {1} cells are within 10 %, {2} within 20 %\n\n",
                inside, all, close);

  os << "Ratios of the reference, and how far ours are from them; ! above 0.1, "
        "which is no tie\n\n";
  for (size_t c = 0; c + 1 != study.contenders.size(); ++c)
    row(os, results, study.contenders[c].name, [&](size_t i) -> std::string {
      double wanted = results.referenceRatio(i, c);
      if (wanted == 0)
        return kNone;
      double off = results.ratio(i, c) - wanted;
      return formatv("{0:F2} {1}{2:F2}{3}", wanted, off < 0 ? "" : "+", off,
                     markOf(off, kNear, kNear));
    });
  os << "\nGeometric means of the ratios, and of the reference's\n\n";
  for (size_t c = 0; c + 1 != study.contenders.size(); ++c) {
    double wanted = geometricMean(results, c, /*ofReference=*/true);
    os << left_justify(study.contenders[c].name, kNames)
       << right_justify(formatv("{0:F2}", geometricMean(results, c)).str(),
                        kColumn)
       << right_justify(wanted == 0 ? kNone : formatv("{0:F2}", wanted).str(),
                        kColumn)
       << "\n";
  }
  os << "\n";
}

double geometricMean(const Results &results, size_t contender,
                     bool ofReference) {
  double product = 1;
  for (size_t i = 0; i != results.settings.size(); ++i)
    product *= ofReference ? results.referenceRatio(i, contender)
                           : results.ratio(i, contender);
  return std::pow(product, 1.0 / static_cast<double>(results.settings.size()));
}

void printCounts(raw_ostream &os, const Results &results) {
  const Study &study = results.study;
  auto number = [](double value) -> std::string {
    return std::isfinite(value) ? formatv("{0:F0}", value).str() : "-";
  };
  auto rows = [&](StringRef title,
                  const std::function<std::string(const Cell &)> &value) {
    os << title << "\n\n";
    for (size_t c = 0; c != study.contenders.size(); ++c)
      row(os, results, study.contenders[c].name,
          [&](size_t i) { return value(results.cells[i][c]); });
    os << "\n";
  };
  rows("Rounds / uploads / downloads until the target, medians",
       [&](const Cell &cell) {
         return number(cell.medianOf(&Counts::rounds)) + "/" +
                number(cell.medianOf(&Counts::uploads)) + "/" +
                number(cell.medianOf(&Counts::downloads));
       });
  rows("Restarts, share of the computing time thrown away, largest staleness",
       [&](const Cell &cell) -> std::string {
         double oldest = 0;
         for (const Counts &each : cell.counts)
           oldest = std::max(oldest, each.staleness);
         if (cell.counts.empty())
           return "-";
         return number(cell.medianOf(&Counts::restarts)) + ", " +
                number(100 * cell.medianOf(&Counts::wasted)) + " %, " +
                number(oldest);
       });
}

void printProbes(raw_ostream &os, const Results &results) {
  const Study &study = results.study;
  os << "At one step size for all, in units of 1 / L; - where most seeds do "
        "not "
        "arrive\n\n";
  for (size_t p = 0; p != study.probes.size(); ++p) {
    const Probe &probe = study.probes[p];
    const Cell &cell = results.probes[p];
    if (cell.times.empty())
      continue;
    double median = cell.median();
    os << left_justify(study.contenders[probe.contender].name, kNames)
       << right_justify(study.settings[probe.setting].name, kColumn)
       << right_justify(formatv("{0:F4}", probe.factor).str(), kColumn)
       << right_justify(std::isfinite(median) ? formatv("{0:F2}", median).str()
                                              : "-",
                        kColumn)
       << "\n";
  }
  os << "\n";
}
