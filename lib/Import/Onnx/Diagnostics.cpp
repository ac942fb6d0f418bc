// Collecting and printing diagnostics about a model.
#include "rubato/Import/Diagnostics.h"

#include <algorithm>
#include <numeric>

using namespace rubato::onnx;

bool Diagnostics::error(std::string where, std::string message,
                        std::string remedy) {
  list.push_back({Severity::Error, std::move(where), std::move(message),
                  std::move(remedy)});
  return false;
}

bool Diagnostics::unsupported(std::string where, std::string message,
                              std::string remedy) {
  list.push_back({Severity::Unsupported, std::move(where), std::move(message),
                  std::move(remedy)});
  return false;
}

void Diagnostics::warning(std::string where, std::string message,
                          std::string remedy) {
  list.push_back({Severity::Warning, std::move(where), std::move(message),
                  std::move(remedy)});
}

int Diagnostics::exitCode() const {
  int code = 0;
  for (const Diagnostic &diagnostic : list) {
    if (diagnostic.severity == Severity::Error)
      return 1;
    if (diagnostic.severity == Severity::Unsupported)
      code = 3;
  }
  return code;
}

std::string Diagnostics::str() const {
  std::string text;
  for (const Diagnostic &diagnostic : list) {
    std::string place = file;
    if (!diagnostic.where.empty())
      place += ":" + diagnostic.where;
    bool isWarning = diagnostic.severity == Severity::Warning;
    text += place + (isWarning ? ": warning: " : ": error: ");
    text += diagnostic.message + "\n";
    if (!diagnostic.remedy.empty())
      text += place + ": note: " + diagnostic.remedy + "\n";
  }
  return text;
}

/// Levenshtein distance, one row at a time.
static size_t distance(const std::string &a, const std::string &b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1,
                         diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

std::string rubato::onnx::nearestName(const std::string &name,
                                      const std::vector<std::string> &names) {
  // Longer names are not typed by hand, and would make this slow.
  constexpr size_t longest = 256;
  std::string nearest;
  size_t best = std::max<size_t>(name.size() / 2, 2) + 1;
  for (const std::string &candidate : names) {
    if (name.size() > longest || candidate.size() > longest)
      continue;
    if (size_t d = distance(name, candidate); d < best) {
      best = d;
      nearest = candidate;
    }
  }
  return nearest;
}
