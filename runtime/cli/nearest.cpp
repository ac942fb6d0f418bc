// "Did you mean": edit distance over a few short names.
#include "cli/options.h"

#include <algorithm>
#include <numeric>

using namespace rubato;

static size_t editDistance(const std::string &a, const std::string &b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t substitute = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row.back();
}

std::string rubato::nearestName(const std::string &name,
                                const std::vector<std::string> &names) {
  constexpr size_t longest = 64; // keeps the table small for any argument
  if (name.size() > longest)
    return "";
  std::string nearest;
  size_t best = std::max<size_t>(2, name.size() / 3) + 1;
  for (const std::string &candidate : names) {
    size_t distance = candidate.rfind(name, 0) == 0 && name.size() > 1
                          ? 1 // a beginning of the name
                          : editDistance(name, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}
