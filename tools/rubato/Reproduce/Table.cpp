// The table on the terminal.
#include "Page.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

static constexpr unsigned kNames = 26, kColumn = 16;

std::string verdictLine(const Verdict &verdict) {
  return (verdict.reproduced ? "reproduced: " : "not reproduced: ") +
         verdict.text;
}

static std::string number(double value, const char *format) {
  if (!std::isfinite(value))
    return "-";
  return StringRef(format) == "F2" ? formatv("{0:F2}", value).str()
                                   : formatv("{0:F0}", value).str();
}

void printTable(raw_ostream &os, const Results &results) {
  const Study &study = results.study;
  os << study.title << "\n\n";
  for (size_t index : results.settings)
    os << "  " << left_justify(study.settings[index].name, 4)
       << study.settings[index].what << "\n";
  os << "\nSeconds of virtual time to the target, median of " << results.seeds
     << (results.seeds == 1 ? " seed" : " seeds")
     << (results.tuned ? "; step sizes tuned\n\n"
                       : "; step sizes from an earlier tuning\n\n");
  auto row = [&](StringRef name, auto value) {
    os << left_justify(name, kNames);
    for (size_t i = 0; i != results.settings.size(); ++i)
      os << right_justify(value(i), kColumn);
    os << "\n";
  };
  row("algorithm",
      [&](size_t i) { return study.settings[results.settings[i]].name; });
  for (size_t c = 0; c != study.contenders.size(); ++c)
    row(study.contenders[c].name, [&](size_t i) {
      return number(results.cells[i][c].median(),
                    study.observe < 1 ? "F2" : "F0");
    });
  os << "\nStep sizes in units of 1 / L\n\n";
  for (size_t c = 0; c != study.contenders.size(); ++c)
    row(study.contenders[c].name, [&](size_t i) {
      const Choice &choice = results.cells[i][c].choice;
      const Variant &variant = study.contenders[c].variants[choice.variant];
      return (variant.label.empty() ? "" : variant.label + ": ") +
             formatv("{0:F4}", choice.factor).str();
    });
  os << "\nHow many times as long as " << study.contenders.back().name
     << "\n\n";
  for (size_t c = 0; c + 1 != study.contenders.size(); ++c)
    row(study.contenders[c].name,
        [&](size_t i) { return number(results.ratio(i, c), "F2"); });
  row("the best of these", [&](size_t i) {
    return number(results.ratio(i, results.best(i)), "F2");
  });
  os << "\n";
}
