// Pieces of SVG that charts share.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace rubato::report {

std::string fixed(double value);
std::string openSvg(double height);
std::string textAt(double x, double y, const std::string &text,
                   const char *anchor, const char *kind);
std::string lineAt(double x1, double y1, double x2, double y2,
                   const char *kind);
/// `tip` is shown where the pointer rests.
std::string rectAt(double x, double y, double width, double height,
                   const std::string &kind, const std::string &tip = "");

/// The range of values along a side of a chart.
struct Axis {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void widen(double value);
  /// Round numbers that cover the range, which grows to them.
  std::vector<double> ticks();
};

/// Where values come to lie in a chart.
struct Frame {
  static constexpr double width = 860, height = 300;
  static constexpr double left = 64, right = 840, top = 44, bottom = 252;
  Axis x, y;

  double across(double value) const {
    return left + (value - x.low) / (x.high - x.low) * (right - left);
  }
  double down(double value) const {
    return bottom - (value - y.low) / (y.high - y.low) * (bottom - top);
  }
};

} // namespace rubato::report
