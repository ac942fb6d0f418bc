// Curves and bars.
#include "report/report.h"
#include "report/report_frame.h"

#include <algorithm>
#include <cmath>

namespace rubato::report {

//===----------------------------------------------------------------------===//
// The frame that charts share
//===----------------------------------------------------------------------===//

std::string fixed(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string textAt(double x, double y, const std::string &text,
                   const char *anchor, const char *kind) {
  return "<text x=\"" + fixed(x) + "\" y=\"" + fixed(y) + "\" text-anchor=\"" +
         anchor + "\" class=\"" + kind + "\">" + escaped(text) + "</text>\n";
}

std::string lineAt(double x1, double y1, double x2, double y2,
                   const char *kind) {
  return "<line x1=\"" + fixed(x1) + "\" y1=\"" + fixed(y1) + "\" x2=\"" +
         fixed(x2) + "\" y2=\"" + fixed(y2) + "\" class=\"" + kind + "\"/>\n";
}

std::string rectAt(double x, double y, double width, double height,
                   const std::string &kind, const std::string &tip) {
  return "<rect x=\"" + fixed(x) + "\" y=\"" + fixed(y) + "\" width=\"" +
         fixed(width) + "\" height=\"" + fixed(height) + "\" class=\"" + kind +
         "\"" +
         (tip.empty() ? "/>\n"
                      : "><title>" + escaped(tip) + "</title></rect>\n");
}

void Axis::widen(double value) {
  if (!std::isfinite(value))
    return;
  low = std::min(low, value);
  high = std::max(high, value);
}

std::vector<double> Axis::ticks() {
  if (!(low < high)) { // nothing, or one value
    low = std::isfinite(low) ? low - 0.5 : 0;
    high = low + 1;
  }
  // Steps of 1, 2 or 5 times a power of ten.
  constexpr double wanted = 6;
  double raw = (high - low) / wanted;
  double power = std::pow(10, std::floor(std::log10(raw)));
  double step = power * (raw / power > 5   ? 10
                         : raw / power > 2 ? 5
                         : raw / power > 1 ? 2
                                           : 1);
  low = std::floor(low / step) * step;
  high = std::ceil(high / step) * step;
  std::vector<double> all;
  for (int i = 0; low + i * step <= high + step / 2; ++i)
    all.push_back(std::fabs(low + i * step) < step / 100 ? 0 : low + i * step);
  return all;
}

std::string openSvg(double height) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " +
         fixed(Frame::width) + " " + fixed(height) + "\" width=\"" +
         fixed(Frame::width) + "\" height=\"" + fixed(height) +
         "\" role=\"img\">\n";
}

//===----------------------------------------------------------------------===//
// Curves
//===----------------------------------------------------------------------===//

static std::string frame(Frame &to, const std::string &title,
                         const std::string &xLabel, const std::string &yLabel,
                         bool xTicks) {
  std::string svg = openSvg(Frame::height);
  svg += textAt(Frame::left, 16, title, "start", "title");
  for (double y : to.y.ticks()) {
    svg += lineAt(Frame::left, to.down(y), Frame::right, to.down(y), "grid");
    svg += textAt(Frame::left - 6, to.down(y) + 4, shortNumber(y), "end", "");
  }
  for (double x : xTicks ? to.x.ticks() : std::vector<double>()) {
    svg += lineAt(to.across(x), Frame::bottom, to.across(x), Frame::bottom + 4,
                  "axis");
    svg +=
        textAt(to.across(x), Frame::bottom + 18, shortNumber(x), "middle", "");
  }
  svg +=
      lineAt(Frame::left, Frame::bottom, Frame::right, Frame::bottom, "axis");
  svg += textAt(Frame::right, Frame::bottom + 34, xLabel, "end", "");
  return svg + textAt(Frame::left, 34, yLabel, "start", "");
}

static std::string colour(size_t index) {
  constexpr size_t colours = 4;
  return "c" + std::to_string(index % colours);
}

std::string svgOf(const LineChart &chart) {
  Frame to;
  for (const Series &series : chart.series)
    for (auto [x, y] : series.points) {
      to.x.widen(x);
      to.y.widen(y);
    }
  if (chart.mark)
    to.y.widen(*chart.mark);
  std::string svg = frame(to, chart.title, chart.xLabel, chart.yLabel, true);
  if (chart.mark)
    svg += lineAt(Frame::left, to.down(*chart.mark), Frame::right,
                  to.down(*chart.mark), "mark");
  for (size_t i = 0; i != chart.series.size(); ++i) {
    const Series &series = chart.series[i];
    std::string points;
    auto flush = [&] {
      if (!points.empty())
        svg += "<polyline class=\"" + colour(i) + "\" points=\"" + points +
               "\"/>\n";
      points.clear();
    };
    for (auto [x, y] : series.points) {
      if (std::isfinite(x) && std::isfinite(y))
        points += fixed(to.across(x)) + "," + fixed(to.down(y)) + " ";
      else
        flush();
    }
    flush();
    if (chart.series.size() > 1) {
      double y = 16 + 16 * static_cast<double>(i);
      svg += rectAt(Frame::right - 150, y - 9, 10, 10, colour(i));
      svg += textAt(Frame::right - 134, y, series.name, "start", "");
    }
  }
  return svg + "</svg>\n";
}

//===----------------------------------------------------------------------===//
// Bars
//===----------------------------------------------------------------------===//

std::string svgOf(const BarChart &chart) {
  Frame to;
  to.y.widen(0);
  for (const auto &bar : chart.bars)
    to.y.widen(bar.second);
  std::string svg = frame(to, chart.title, chart.xLabel, chart.yLabel, false);
  auto count = static_cast<double>(std::max<size_t>(chart.bars.size(), 1));
  constexpr double widest = 64;
  double pitch = std::min(widest, (Frame::right - Frame::left) / count);
  // Labels that would overlap are left out.
  auto every = static_cast<size_t>(std::ceil(36 / pitch));
  for (size_t i = 0; i != chart.bars.size(); ++i) {
    const auto &[name, value] = chart.bars[i];
    double x = Frame::left + (static_cast<double>(i) + 0.1) * pitch;
    svg += rectAt(x, to.down(value), 0.8 * pitch, to.down(0) - to.down(value),
                  "c0", name + ": " + shortNumber(value));
    if (i % every == 0)
      svg += textAt(x + 0.4 * pitch, Frame::bottom + 18, name, "middle", "");
  }
  return svg + "</svg>\n";
}

} // namespace rubato::report
