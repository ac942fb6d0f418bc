// The page with plots.
#include "Page.h"
#include "Svg.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace svg;

namespace {

std::string seconds(double value) {
  return std::isfinite(value) ? formatv("{0:F1}", value).str() : "never";
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
    svg += legend(i, study.contenders[i].name);
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
  os << pageHead(study.title, verdict, study.notes)
     << "<h2>Seconds of virtual time to the target, median of " << results.seeds
     << (results.seeds == 1 ? " seed" : " seeds") << "</h2>\n"
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

static Error cannotWrite(const std::string &path, std::error_code code) {
  return createStringError("cannot write --report '" + path +
                           "': " + code.message());
}

Error writeReport(const std::string &path,
                  function_ref<void(raw_ostream &)> write) {
  if (path.empty())
    return Error::success();
  std::error_code code;
  raw_fd_ostream file(path, code);
  if (!code) {
    write(file);
    file.close();
    code = file.error();
    file.clear_error();
  }
  return code ? cannotWrite(path, code) : Error::success();
}

Error checkReport(const std::string &path) {
  if (path.empty())
    return Error::success();
  std::error_code code;
  raw_fd_ostream file(path, code, sys::fs::OF_Append);
  return code ? cannotWrite(path, code) : Error::success();
}
