// The table and the page of a comparison of gossip.
#include "Gossip.h"
#include "Page.h"
#include "Svg.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <functional>

using namespace llvm;
using namespace svg;

namespace {

using Column = std::function<std::string(const GossipSetting &)>;

std::string fixed(double value, int digits) {
  if (!std::isfinite(value))
    return "-";
  return digits == 4 ? formatv("{0:F4}", value).str()
                     : formatv("{0:F2}", value).str();
}

/// Rows of a table: a name, and a value for each setting.
std::vector<std::pair<std::string, Column>> agreement() {
  return {
      {"gossip", [](const GossipSetting &s) { return fixed(s.plainDecay, 4); }},
      {"a2cid2", [](const GossipSetting &s) { return fixed(s.fastDecay, 4); }},
      {"ratio", [](const GossipSetting &s) { return fixed(s.ratio(), 2); }},
      {"asked for", [](const GossipSetting &s) {
         return s.bar > 0 ? fixed(s.bar, 2) : "-";
       }}};
}

std::vector<std::pair<std::string, Column>>
distances(const GossipResults &results) {
  std::vector<std::pair<std::string, Column>> rows;
  for (size_t i = 0; i != results.rates.size(); ++i)
    rows.emplace_back(
        formatv("gossip, rate {0:F1}", results.rates[i]).str(),
        [i](const GossipSetting &s) { return fixed(s.plain[i], 4); });
  rows.emplace_back("a2cid2, rate 1",
                    [](const GossipSetting &s) { return fixed(s.fast, 4); });
  rows.emplace_back("gossip / a2cid2, rate 1", [](const GossipSetting &s) {
    return fixed(s.plain[0] / s.fast, 2);
  });
  rows.emplace_back("worth a rate of", [&](const GossipSetting &s) {
    double rate = s.equivalent(results.rates);
    return std::isfinite(rate)
               ? fixed(rate, 2)
               : formatv("above {0:F0}", results.rates.back()).str();
  });
  return rows;
}

constexpr const char *kAgreement =
    "Decay of the squared distance between members per gradient, nothing "
    "learned";
constexpr const char *kDistance =
    "Squared distance between members on a quadratic with noise, in units of "
    "(step / (1 - momentum))²; momentum 0.9";

/// A curve against a logarithmic scale.
std::string plot(const std::vector<std::vector<std::pair<double, double>>> &all,
                 const std::vector<std::string> &names, StringRef below) {
  double end = 1, low = 0, high = -300;
  for (const auto &curve : all)
    for (auto [x, y] : curve) {
      end = std::max(end, x);
      low = std::min(low, std::log10(y));
      high = std::max(high, std::log10(y));
    }
  low = std::floor(low);
  high = std::max(std::ceil(high), low + 1);
  auto across = [&](double x) {
    return Plot::left + x / end * (Plot::right - Plot::left);
  };
  auto down = [&](double power) {
    return Plot::bottom -
           (power - low) / (high - low) * (Plot::bottom - Plot::top);
  };
  std::string svg = openSvg();
  double every = std::ceil((high - low) / 8);
  for (double power = low; power <= high; power += every) {
    svg += line(Plot::left, down(power), Plot::right, down(power), "grid");
    svg += text(Plot::left - 6, down(power) + 4,
                formatv("1e{0}", static_cast<int>(power)).str(), "end");
  }
  constexpr int ticks = 4;
  for (int i = 0; i <= ticks; ++i)
    svg += text(across(end * i / ticks), Plot::bottom + 18,
                formatv("{0:F1}", end * i / ticks).str(), "middle");
  svg += line(Plot::left, Plot::bottom, Plot::right, Plot::bottom, "axis");
  svg += text(Plot::right, Plot::bottom + 34, below, "end");
  for (size_t i = 0; i != all.size(); ++i) {
    svg += legend(i, names[i]);
    svg += formatv("<polyline stroke=\"{0}\" points=\"", colour(i));
    for (auto [x, y] : all[i])
      svg += formatv("{0:F1},{1:F1} ", across(x), down(std::log10(y)));
    svg += "\"/>\n";
  }
  return svg + "</svg>\n";
}

std::string table(const GossipResults &results,
                  const std::vector<std::pair<std::string, Column>> &rows) {
  std::string html = "<table>\n<tr><th></th>";
  for (const GossipSetting &setting : results.settings)
    html += "<th>" + escaped(setting.name) + "</th>";
  for (const auto &[name, value] : rows) {
    html += "</tr>\n<tr><th>" + escaped(name) + "</th>";
    for (const GossipSetting &setting : results.settings)
      html += "<td>" + escaped(value(setting)) + "</td>";
  }
  return html + "</tr>\n</table>\n";
}

} // namespace

void printTable(raw_ostream &os, const GossipResults &results) {
  constexpr unsigned names = 26, column = 12;
  os << results.title << "\n\n";
  for (const GossipSetting &setting : results.settings)
    os << "  " << left_justify(setting.name, 5) << setting.what << "\n";
  os << "\nMeans over " << results.seeds
     << (results.seeds == 1 ? " seed\n" : " seeds\n");
  auto print = [&](const char *heading,
                   const std::vector<std::pair<std::string, Column>> &rows) {
    os << "\n" << heading << "\n\n" << left_justify("", names);
    for (const GossipSetting &setting : results.settings)
      os << right_justify(setting.name, column);
    for (const auto &[name, value] : rows) {
      os << "\n" << left_justify(name, names);
      for (const GossipSetting &setting : results.settings)
        os << right_justify(value(setting), column);
    }
    os << "\n";
  };
  print(kAgreement, agreement());
  print(kDistance, distances(results));
  os << "\n";
}

void writePage(raw_ostream &os, const GossipResults &results,
               const Verdict &verdict) {
  os << pageHead(results.title, verdict, results.notes) << "<h2>" << kAgreement
     << ", means over " << results.seeds
     << (results.seeds == 1 ? " seed" : " seeds") << "</h2>\n"
     << table(results, agreement()) << "<h2>" << kDistance << "</h2>\n"
     << table(results, distances(results));
  for (const GossipSetting &setting : results.settings) {
    std::vector<std::pair<double, double>> plain, fast;
    for (size_t i = 0; i != results.rates.size(); ++i) {
      plain.emplace_back(results.rates[i], setting.plain[i]);
      fast.emplace_back(results.rates[i], setting.fast);
    }
    os << "<h2>" << escaped(setting.name + ": " + setting.what) << "</h2>\n"
       << "<p>Squared distance between members that start apart, first "
          "seed.</p>\n"
       << plot({setting.curves[0], setting.curves[1]}, {"gossip", "a2cid2"},
               "gradients of a member")
       << "<p>Where it stays with noise, against the rate of averaging; "
          "a2cid2 averages once per gradient.</p>\n"
       << plot({plain, fast}, {"gossip", "a2cid2, rate 1"},
               "averagings per gradient");
  }
  os << "</body>\n</html>\n";
}
