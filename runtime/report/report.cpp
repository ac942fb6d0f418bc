// The page around charts and tables.
#include "report/report.h"

#include <cmath>
#include <cstdio>

namespace rubato::report {

std::string escaped(const std::string &text) {
  std::string out;
  for (char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string shortNumber(double value) {
  const char *unit = "";
  for (auto [size, name] : {std::pair{1e9, "G"}, {1e6, "M"}, {1e4, "k"}})
    if (std::fabs(value) >= size && !*unit) {
      value /= name[0] == 'k' ? 1e3 : size;
      unit = name;
    }
  char text[48];
  std::snprintf(text, sizeof text, "%.4g%s", value, unit);
  return text;
}

std::string
tableOf(const std::vector<std::pair<std::string, std::string>> &rows) {
  std::string html = "<table>\n";
  for (const auto &[name, value] : rows)
    html += "<tr><th>" + escaped(name) + "</th><td>" + escaped(value) +
            "</td></tr>\n";
  return html + "</table>\n";
}

static const char *const style = R"(
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 60em;
       padding: 0 1em; color: #222; background: #fff; }
h1 { font-size: 1.6em; margin-bottom: 0; }
h2 { font-size: 1.15em; margin: 1.6em 0 .4em; }
p.sub { color: #666; margin-top: .2em; }
table { border-collapse: collapse; }
th { text-align: left; font-weight: 600; padding: .15em 1.5em .15em 0;
     vertical-align: top; }
td { padding: .15em 0; }
tr { border-bottom: 1px solid #eee; }
svg { display: block; max-width: 100%; height: auto; margin: .6em 0; }
svg text { font: 12px system-ui, sans-serif; fill: #444; }
svg text.title { font-weight: 600; fill: #222; }
svg .grid { stroke: #e6e6e6; }
svg .axis { stroke: #888; }
svg .mark { stroke: #b3261e; stroke-dasharray: 5 4; }
svg .c0 { stroke: #1f6fb2; fill: #1f6fb2; }
svg .c1 { stroke: #d98a1f; fill: #d98a1f; }
svg .c2 { stroke: #3d8f4d; fill: #3d8f4d; }
svg .c3 { stroke: #8a4fa3; fill: #8a4fa3; }
svg polyline { fill: none !important; stroke-width: 1.8; }
svg rect { stroke: none; }
svg .ground { fill: #f1f1f1; }
)";

std::string page(const std::string &title, const std::string &subtitle,
                 const std::vector<Section> &sections) {
  std::string html = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                     "<meta charset=\"utf-8\">\n<title>" +
                     escaped(title) + "</title>\n<style>" + style +
                     "</style>\n</head>\n<body>\n<h1>" + escaped(title) +
                     "</h1>\n<p class=\"sub\">" + escaped(subtitle) + "</p>\n";
  for (const Section &section : sections)
    html += "<h2>" + escaped(section.title) + "</h2>\n" + section.body;
  return html + "</body>\n</html>\n";
}

} // namespace rubato::report
