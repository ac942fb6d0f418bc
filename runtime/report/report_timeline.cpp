// Rows of spans along a common time.
#include "report/report.h"
#include "report/report_frame.h"

#include <algorithm>
#include <cmath>

namespace rubato::report {

std::string svgOf(const TimelineChart &chart) {
  constexpr double rowHeight = 18, barHeight = 12;
  Frame to;
  to.x.low = chart.begin;
  to.x.high = chart.end > chart.begin ? chart.end : chart.begin + 1;
  double end = to.x.high; // ticks grow the axis; bars need not
  auto ticks = to.x.ticks();
  double bottom =
      Frame::top + rowHeight * static_cast<double>(chart.rows.size());
  std::string svg = openSvg(bottom + 44);
  svg += textAt(Frame::left, 16, chart.title, "start", "title");
  double legend = Frame::left;
  for (size_t i = 0; i != chart.kinds.size(); ++i) {
    svg += rectAt(legend, 25, 10, 10, "c" + std::to_string(i));
    svg += textAt(legend + 15, 34, chart.kinds[i], "start", "");
    constexpr double perLetter = 7;
    legend += 40 + perLetter * static_cast<double>(chart.kinds[i].size());
  }
  for (size_t i = 0; i != chart.rows.size(); ++i) {
    const TimelineChart::Row &row = chart.rows[i];
    double y = Frame::top + rowHeight * static_cast<double>(i);
    svg += textAt(Frame::left - 6, y + 11, row.name, "end", "");
    svg += rectAt(Frame::left, y, to.across(end) - Frame::left, barHeight,
                  "ground");
    for (const TimelineChart::Span &span : row.spans) {
      double from = to.across(std::clamp(span.begin, chart.begin, end));
      double until = to.across(std::clamp(span.end, chart.begin, end));
      if (from < until) // the thinnest can still be seen
        svg += rectAt(from, y, std::max(until - from, 0.4), barHeight,
                      "c" + std::to_string(span.kind));
    }
  }
  for (double x : ticks) {
    svg += lineAt(to.across(x), bottom, to.across(x), bottom + 4, "axis");
    svg += textAt(to.across(x), bottom + 18, shortNumber(x), "middle", "");
  }
  svg += lineAt(Frame::left, bottom, Frame::right, bottom, "axis");
  svg += textAt(Frame::right, bottom + 34, chart.xLabel, "end", "");
  return svg + "</svg>\n";
}

} // namespace rubato::report
