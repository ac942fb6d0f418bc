// Numbers that tables and verdicts are made of.
#include "Study.h"

#include <algorithm>

double quantileOf(std::vector<double> values, double share) {
  if (values.empty())
    return Cell::never;
  std::sort(values.begin(), values.end());
  double position = share * static_cast<double>(values.size() - 1);
  auto below = static_cast<size_t>(position);
  double part = position - static_cast<double>(below);
  if (part == 0) // also where the next one is infinite
    return values[below];
  return values[below] + part * (values[below + 1] - values[below]);
}

double Cell::medianOf(double Counts::*what) const {
  std::vector<double> values;
  for (const Counts &each : counts)
    values.push_back(each.*what);
  return quantileOf(values, 0.5);
}

void Study::compareWith(const std::vector<std::vector<double>> &rows) {
  reference.resize(settings.size());
  for (const std::vector<double> &row : rows)
    for (size_t i = 0; i != settings.size(); ++i)
      reference[i].push_back(row[i]);
}

double Results::referenceRatio(size_t position, size_t contender) const {
  if (study.reference.empty())
    return 0;
  const std::vector<double> &row = study.reference[settings[position]];
  return row[contender] / row.back();
}

double Cell::quantile(double share) const { return quantileOf(times, share); }

double Results::ratio(size_t position, size_t contender) const {
  return cells[position][contender].median() / own(position).median();
}

size_t Results::best(size_t position) const {
  size_t best = study.contenders.size();
  for (size_t i = 0; i != study.contenders.size(); ++i)
    if (study.contenders[i].baseline &&
        (best == study.contenders.size() ||
         cells[position][i].median() < cells[position][best].median()))
      best = i;
  return best;
}

std::optional<Study> findStudy(const std::string &name) {
  for (Study (*make)() : {absSgdStudy, boundedStalenessStudy})
    if (Study study = make(); study.name == name)
      return study;
  return std::nullopt;
}
