// The page of --report.
#include "report/report.h"
#include "simulate/job.h"

#include <algorithm>
#include <cmath>

using namespace rubato;
using namespace rubato::report;

namespace {

/// The evaluation loss against what a member of Observation says.
template <typename Fn>
std::string lossAgainst(const SimulateJob &job, const std::string &what,
                        const std::string &unit, Fn x) {
  LineChart chart;
  chart.title = "Evaluation loss against " + what;
  chart.xLabel = unit;
  chart.mark = job.options.target;
  Series &series = chart.series.emplace_back();
  for (const Observation &seen : job.observations)
    series.points.emplace_back(x(seen), seen.model.loss);
  return svgOf(chart);
}

std::string curves(const SimulateJob &job) {
  if (job.observations.empty())
    return "<p>Nothing was observed: give --observe SECONDS and evaluation "
           "data.</p>\n";
  std::string html =
      lossAgainst(job, "virtual time", "seconds",
                  [](const Observation &seen) { return seen.seconds; }) +
      lossAgainst(job, "samples", "samples",
                  [](const Observation &seen) {
                    return static_cast<double>(seen.seen);
                  }) +
      lossAgainst(job, "traffic", "bytes sent by all members",
                  [](const Observation &seen) {
                    return static_cast<double>(seen.bytes);
                  });
  if (job.observations[0].model.hasAccuracy) {
    LineChart chart;
    chart.title = "Accuracy against virtual time";
    chart.xLabel = "seconds";
    Series &series = chart.series.emplace_back();
    for (const Observation &seen : job.observations)
      series.points.emplace_back(seen.seconds, seen.model.accuracy());
    html += svgOf(chart);
  }
  if (job.observations[0].consensus < 0)
    return html;
  LineChart chart;
  chart.title = "Consensus distance against virtual time";
  chart.xLabel = "seconds";
  chart.yLabel = "mean squared distance to the mean, per parameter";
  Series &series = chart.series.emplace_back();
  for (const Observation &seen : job.observations)
    series.points.emplace_back(seen.seconds, seen.consensus);
  return html + svgOf(chart);
}

/// Until when all members are shown: about so many spans of each.
int64_t timelineEnd(const SimulateJob &job) {
  constexpr size_t spansOfMember = 120;
  int64_t end = job.statistics.time;
  for (const std::vector<MemberSpan> &spans : job.watch->spans)
    if (spans.size() > spansOfMember)
      end = std::min(end, spans[spansOfMember].begin);
  return std::max<int64_t>(end, 1);
}

/// A member that computes in one strand and waits in another computes.
std::string timeline(const SimulateJob &job) {
  constexpr size_t rows = 64;
  constexpr size_t computes = 0, waits = 1;
  int64_t end = timelineEnd(job);
  auto seconds = [](int64_t time) { return static_cast<double>(time) * 1e-9; };
  TimelineChart chart;
  chart.title =
      end < job.statistics.time ? "The beginning of the run" : "The whole run";
  chart.xLabel = "seconds of virtual time";
  chart.end = seconds(end);
  chart.kinds = {"inside a gradient", "waiting for others"};
  for (size_t rank = 0; rank != std::min(rows, job.watch->spans.size());
       ++rank) {
    TimelineChart::Row &row = chart.rows.emplace_back();
    row.name = "rank " + std::to_string(rank);
    for (bool first : {false, true}) // what lies on top comes last
      for (const MemberSpan &span : job.watch->spans[rank])
        if (span.computes == first && span.begin < end)
          row.spans.push_back({seconds(span.begin), seconds(span.end),
                               span.computes ? computes : waits});
  }
  return svgOf(chart);
}

std::string histograms(const SimulateJob &job) {
  std::string html;
  BarChart idle;
  idle.title = "Members by the share of their time outside gradients";
  idle.xLabel = "idle";
  idle.yLabel = "members";
  constexpr int bins = 10;
  for (int i = 0; i < bins; ++i)
    idle.bars.emplace_back(std::to_string(10 * i) + " %", 0);
  for (const sim::MemberStatistics &member : job.statistics.members) {
    if (!member.gradients || member.endedAt <= 0)
      continue;
    double share = 1 - static_cast<double>(member.computing) /
                           static_cast<double>(member.endedAt);
    int bin = std::clamp(static_cast<int>(share * bins), 0, bins - 1);
    idle.bars[static_cast<size_t>(bin)].second += 1;
  }
  html += svgOf(idle);
  if (job.statistics.staleness.empty())
    return html;
  BarChart staleness;
  staleness.title = "Accepted uploads by their staleness";
  staleness.xLabel = "updates of the model since the worker got it";
  staleness.yLabel = "uploads";
  int64_t most = job.statistics.staleness.rbegin()->first;
  constexpr int64_t longest = 400;
  for (int64_t age = 0; age <= std::min(most, longest); ++age) {
    auto it = job.statistics.staleness.find(age);
    staleness.bars.emplace_back(std::to_string(age),
                                it == job.statistics.staleness.end()
                                    ? 0
                                    : static_cast<double>(it->second));
  }
  return html + svgOf(staleness);
}

} // namespace

std::string rubato::reportPage(const SimulateJob &job,
                               const SimulateSummary &summary) {
  auto rows = summary.rows;
  if (job.options.target)
    rows.emplace_back("target " + shortNumber(*job.options.target),
                      job.reached
                          ? "reached at " + shortNumber(*job.reached) + " s"
                          : "not reached");
  for (const std::string &warning : summary.warnings)
    rows.emplace_back("warning", warning);
  auto option = job.unit.options.find("algorithm");
  std::string algorithm =
      option == job.unit.options.end() ? "" : option->second + ", ";
  return page("Simulation of " + job.unit.model,
              algorithm + std::to_string(job.members) + " members, " +
                  (job.options.cluster.empty() ? job.options.cost
                                               : job.options.cluster),
              {{"Summary", tableOf(rows)},
               {"Training", curves(job)},
               {"Members", timeline(job)},
               {"Histograms", histograms(job)}});
}
