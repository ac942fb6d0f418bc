// The page with plots.
#include "ReproducePage.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace {

constexpr const char *kStyle = R"(
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 60em;
       padding: 0 1em; color: #222; background: #fff; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin: 1.6em 0 .4em; }
table { border-collapse: collapse; }
th, td { padding: .2em 1em .2em 0; text-align: left; vertical-align: top; }
tr { border-bottom: 1px solid #eee; }
td small { color: #777; display: block; }
p.verdict { padding: .6em 1em; background: #f1f1f1; border-left: 4px solid; }
p.yes { border-color: #3d8f4d; } p.no { border-color: #b3261e; }
svg { display: block; max-width: 100%; height: auto; margin: .6em 0; }
svg text { font: 12px system-ui, sans-serif; fill: #444; }
svg .grid { stroke: #e6e6e6; } svg .axis { stroke: #888; }
svg .mark { stroke: #b3261e; stroke-dasharray: 5 4; }
svg polyline { fill: none; stroke-width: 1.6; }
)";
constexpr const char *kColours[] = {"#1f6fb2", "#d98a1f", "#3d8f4d", "#8a4fa3",
                                    "#777777", "#0aa3a3", "#c2185b", "#5d4037"};
const char *colour(size_t index) {
  return kColours[index % std::size(kColours)];
}

std::string escaped(StringRef text) {
  std::string out;
  raw_string_ostream os(out);
  printHTMLEscaped(text, os);
  return out;
}

std::string seconds(double value) {
  return std::isfinite(value) ? formatv("{0:F1}", value).str() : "never";
}

/// Where a plot lies in its picture.
struct Plot {
  static constexpr double left = 70, right = 640, top = 14, bottom = 270;
  static constexpr double width = 860, height = 310;
};

std::string openSvg() {
  return formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} "
                 "{1}\" width=\"{0}\" height=\"{1}\" role=\"img\">\n",
                 Plot::width, Plot::height);
}

std::string line(double x1, double y1, double x2, double y2, StringRef kind) {
  return formatv("<line x1=\"{0:F1}\" y1=\"{1:F1}\" x2=\"{2:F1}\" "
                 "y2=\"{3:F1}\" class=\"{4}\"/>\n",
                 x1, y1, x2, y2, kind);
}

std::string text(double x, double y, StringRef words, StringRef anchor) {
  return formatv("<text x=\"{0:F1}\" y=\"{1:F1}\" text-anchor=\"{2}\">{3}"
                 "</text>\n",
                 x, y, anchor, escaped(words));
}

/// The gap to the optimum against time, on a logarithmic scale.
std::string curves(const Results &results, size_t position) {
  const Study &study = results.study;
  double share = study.settings[results.settings[position]].share;
  double low = std::log10(share) - 0.3, high = 0.3, end = study.observe;
  for (const Cell &cell : results.cells[position])
    if (!cell.curve.empty())
      end = std::max(end, cell.curve.back().first);
  auto across = [&](double x) {
    return Plot::left + x / end * (Plot::right - Plot::left);
  };
  auto down = [&](double gap) {
    double y = std::clamp(std::log10(std::max(gap, 1e-12)), low, high);
    return Plot::bottom - (y - low) / (high - low) * (Plot::bottom - Plot::top);
  };
  std::string svg = openSvg();
  for (int power = 0; power >= low; --power) {
    double y = down(std::pow(10, power));
    svg += line(Plot::left, y, Plot::right, y, "grid");
    svg += text(Plot::left - 6, y + 4,
                formatv("{0}", std::pow(10, power)).str(), "end");
  }
  constexpr int ticks = 4;
  for (int i = 0; i <= ticks; ++i)
    svg += text(across(end * i / ticks), Plot::bottom + 18,
                formatv("{0:F0}", end * i / ticks).str(), "middle");
  svg += line(Plot::left, Plot::bottom, Plot::right, Plot::bottom, "axis");
  svg += line(Plot::left, down(share), Plot::right, down(share), "mark");
  svg += text(Plot::right, Plot::bottom + 34, "seconds of virtual time", "end");
  for (size_t i = 0; i != study.contenders.size(); ++i) {
    double y = Plot::top + 18 * static_cast<double>(i + 1);
    svg += formatv("<rect x=\"{0}\" y=\"{1}\" width=\"10\" height=\"10\" "
                   "fill=\"{2}\"/>\n",
                   Plot::right + 20, y - 9, colour(i));
    svg += text(Plot::right + 36, y, study.contenders[i].name, "start");
    svg += formatv("<polyline stroke=\"{0}\" points=\"", colour(i));
    for (auto [time, gap] : results.cells[position][i].curve)
      svg += formatv("{0:F1},{1:F1} ", across(time), down(gap));
    svg += "\"/>\n";
  }
  return svg + "</svg>\n";
}

/// Times to the target as bars, with the range of the middle half of the seeds.
std::string bars(const Results &results, size_t position) {
  const Study &study = results.study;
  double most = 1;
  for (const Cell &cell : results.cells[position])
    for (double value : {cell.median(), cell.quantile(0.75)})
      if (std::isfinite(value))
        most = std::max(most, value);
  constexpr double left = 190, pitch = 30, thick = 16;
  auto across = [&](double x) {
    return left + std::min(x / most, 1.0) * (Plot::right - left);
  };
  std::string svg = openSvg();
  for (size_t i = 0; i != study.contenders.size(); ++i) {
    const Cell &cell = results.cells[position][i];
    double y = Plot::top + pitch * static_cast<double>(i);
    svg += text(left - 8, y + 13, study.contenders[i].name, "end");
    if (std::isfinite(cell.median()))
      svg += formatv("<rect x=\"{0}\" y=\"{1:F1}\" width=\"{2:F1}\" "
                     "height=\"{3}\" fill=\"{4}\"/>\n",
                     left, y, across(cell.median()) - left, thick, colour(i));
    svg += line(across(cell.quantile(0.25)), y + thick / 2,
                across(cell.quantile(0.75)), y + thick / 2, "axis");
    svg += text(Plot::right + 10, y + 13, seconds(cell.median()), "start");
  }
  return svg + "</svg>\n";
}

std::string table(const Results &results) {
  const Study &study = results.study;
  std::string html = "<table>\n<tr><th>algorithm</th>";
  for (size_t index : results.settings)
    html += "<th>" + escaped(study.settings[index].name) + "</th>";
  html += "</tr>\n";
  for (size_t c = 0; c != study.contenders.size(); ++c) {
    html += "<tr><th>" + escaped(study.contenders[c].name) + "</th>";
    for (size_t i = 0; i != results.settings.size(); ++i) {
      const Cell &cell = results.cells[i][c];
      const Variant &variant =
          study.contenders[c].variants[cell.choice.variant];
      html +=
          formatv("<td>{0}<small>middle half {1} to {2}</small><small>step "
                  "{3:F3} / L{4}</small><small>ratio {5:F2}</small></td>",
                  seconds(cell.median()), seconds(cell.quantile(0.25)),
                  seconds(cell.quantile(0.75)), cell.choice.factor,
                  variant.label.empty() ? "" : ", " + escaped(variant.label),
                  results.ratio(i, c));
    }
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

} // namespace

void writePage(raw_ostream &os, const Results &results,
               const Verdict &verdict) {
  const Study &study = results.study;
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">"
     << "\n<title>" << escaped(study.title) << "</title>\n<style>" << kStyle
     << "</style>\n</head>\n<body>\n<h1>" << escaped(study.title) << "</h1>\n"
     << "<p class=\"verdict " << (verdict.reproduced ? "yes" : "no") << "\">"
     << escaped(verdictLine(verdict)) << "</p>\n<ul>\n";
  for (const std::string &note : study.notes)
    os << "<li>" << escaped(note) << "</li>\n";
  os << "</ul>\n<h2>Seconds of virtual time to the target, median of "
     << results.seeds << (results.seeds == 1 ? " seed" : " seeds") << "</h2>\n"
     << table(results);
  for (size_t i = 0; i != results.settings.size(); ++i) {
    const Setting &setting = study.settings[results.settings[i]];
    os << "<h2>" << escaped(setting.name + ": " + setting.what) << "</h2>\n"
       << bars(results, i)
       << "<p>What is left of the initial gap to the optimum, first seed; the "
          "dashed line is the target.</p>\n"
       << curves(results, i);
  }
  os << "</body>\n</html>\n";
}
