// Pages and charts: numbers in their places, text that cannot break out.
#include "report/report.h"
#include "report/report_frame.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace rubato::report;

namespace {

int count(const std::string &text, const std::string &part) {
  int found = 0;
  for (size_t at = 0; (at = text.find(part, at)) != text.npos;
       at += part.size())
    ++found;
  return found;
}

TEST(Report, EscapesText) {
  EXPECT_EQ(escaped("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
  std::string html = page("<t>", "&", {{"<s>", tableOf({{"<n>", "<v>"}})}});
  EXPECT_EQ(count(html, "&lt;n&gt;"), 1);
  EXPECT_EQ(count(html, "<n>"), 0);
  EXPECT_EQ(count(html, "<t>"), 0);
  EXPECT_EQ(count(html, "<script"), 0);
}

TEST(Report, WritesShortNumbers) {
  EXPECT_EQ(shortNumber(0.125), "0.125");
  EXPECT_EQ(shortNumber(9999), "9999");
  EXPECT_EQ(shortNumber(12500), "12.5k");
  EXPECT_EQ(shortNumber(-3.5e6), "-3.5M");
  EXPECT_EQ(shortNumber(2e9), "2G");
}

TEST(Report, TicksCoverTheRange) {
  for (auto [low, high] : {std::pair{0.0, 1.0},
                           {-0.3, 17.0},
                           {1e-9, 3e-9},
                           {5.0, 5.0},
                           {-2e9, 1e9}}) {
    Axis axis;
    axis.widen(low);
    axis.widen(high);
    auto ticks = axis.ticks();
    ASSERT_GE(ticks.size(), 2u);
    EXPECT_LE(ticks.size(), 12u);
    EXPECT_LE(axis.low, low);
    EXPECT_GE(axis.high, high);
    EXPECT_NEAR(ticks.front(), axis.low, 1e-9 * std::fabs(axis.low));
    EXPECT_LT(axis.low, axis.high);
  }
  Axis nothing;
  EXPECT_GE(nothing.ticks().size(), 2u);
}

TEST(Report, CurvesStopWhereNumbersDo) {
  LineChart chart;
  chart.title = "t";
  chart.series = {{"a", {{0, 1}, {1, 2}, {2, NAN}, {3, 1}, {4, 2}}}};
  std::string svg = svgOf(chart);
  EXPECT_EQ(count(svg, "<polyline"), 2);
  EXPECT_EQ(count(svg, "nan"), 0);
  EXPECT_EQ(count(svg, "class=\"mark\""), 0);
  chart.mark = 5;
  EXPECT_EQ(count(svgOf(chart), "class=\"mark\""), 1);
}

TEST(Report, HigherIsFurtherUp) {
  Frame frame;
  for (Axis *axis : {&frame.x, &frame.y}) {
    axis->widen(0);
    axis->widen(10);
    (void)axis->ticks();
  }
  EXPECT_LT(frame.down(9), frame.down(1));
  EXPECT_LT(frame.across(1), frame.across(9));
  EXPECT_EQ(frame.down(0), Frame::bottom);
}

TEST(Report, BarsHaveTheirValues) {
  BarChart chart;
  chart.bars = {{"zero", 0}, {"two", 2}};
  std::string svg = svgOf(chart);
  EXPECT_EQ(count(svg, "<rect"), 2);
  EXPECT_EQ(count(svg, "<title>two: 2</title>"), 1);
}

TEST(Report, TimelineShowsWhatLiesInside) {
  TimelineChart chart;
  chart.begin = 1;
  chart.end = 3;
  chart.kinds = {"works"};
  chart.rows = {{"rank 0", {{0, 0.5, 0}, {0.5, 1.5, 0}, {2, 9, 0}}}};
  // One for the legend, one behind the row, two spans; the first is past.
  EXPECT_EQ(count(svgOf(chart), "<rect"), 4);
}

} // namespace
