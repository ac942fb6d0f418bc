// Pages for people: HTML in one file with inline SVG, no scripts, nothing from
// anywhere else.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rubato::report {

/// Text as HTML and SVG show it.
std::string escaped(const std::string &text);
/// A number for people: 4 digits, k, M or G behind large ones.
std::string shortNumber(double value);

/// Points of a curve; those that are not finite interrupt it.
struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

struct LineChart {
  std::string title, xLabel, yLabel;
  std::vector<Series> series;
  std::optional<double> mark; // a level to be reached
};
std::string svgOf(const LineChart &chart);

/// Amounts by name, in the order given.
struct BarChart {
  std::string title, xLabel, yLabel;
  std::vector<std::pair<std::string, double>> bars;
};
std::string svgOf(const BarChart &chart);

/// Who did what from when to when. Kinds are numbered as `kinds` lists them; a
/// time without a span is shown as the background.
struct TimelineChart {
  struct Span {
    double begin = 0, end = 0;
    size_t kind = 0;
  };
  struct Row {
    std::string name;
    std::vector<Span> spans;
  };
  std::string title, xLabel;
  double begin = 0, end = 0;
  std::vector<std::string> kinds;
  std::vector<Row> rows;
};
std::string svgOf(const TimelineChart &chart);

/// Two columns.
std::string
tableOf(const std::vector<std::pair<std::string, std::string>> &rows);

/// A section of a page; `body` is HTML.
struct Section {
  std::string title, body;
};
std::string page(const std::string &title, const std::string &subtitle,
                 const std::vector<Section> &sections);

} // namespace rubato::report
