#include "Svg.h"

#include "Page.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

static constexpr const char *kStyle = R"(
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

const char *svg::colour(size_t index) {
  constexpr const char *colours[] = {"#1f6fb2", "#d98a1f", "#3d8f4d",
                                     "#8a4fa3", "#777777", "#0aa3a3",
                                     "#c2185b", "#5d4037", "#9e9d24"};
  return colours[index % std::size(colours)];
}

std::string svg::escaped(StringRef text) {
  std::string out;
  raw_string_ostream os(out);
  printHTMLEscaped(text, os);
  return out;
}

std::string svg::openSvg() {
  return formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} "
                 "{1}\" width=\"{0}\" height=\"{1}\" role=\"img\">\n",
                 Plot::width, Plot::height);
}

std::string svg::line(double x1, double y1, double x2, double y2,
                      StringRef kind) {
  return formatv("<line x1=\"{0:F1}\" y1=\"{1:F1}\" x2=\"{2:F1}\" "
                 "y2=\"{3:F1}\" class=\"{4}\"/>\n",
                 x1, y1, x2, y2, kind);
}

std::string svg::text(double x, double y, StringRef words, StringRef anchor) {
  return formatv("<text x=\"{0:F1}\" y=\"{1:F1}\" text-anchor=\"{2}\">{3}"
                 "</text>\n",
                 x, y, anchor, escaped(words));
}

std::string svg::legend(size_t index, StringRef name) {
  double y = Plot::top + 18 * static_cast<double>(index + 1);
  std::string svg =
      formatv("<rect x=\"{0}\" y=\"{1}\" width=\"10\" height=\"10\" "
              "fill=\"{2}\"/>\n",
              Plot::right + 20, y - 9, colour(index));
  return svg + text(Plot::right + 36, y, name, "start");
}

std::string svg::pageHead(StringRef title, const Verdict &verdict,
                          const std::vector<std::string> &notes) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">"
      "\n<title>" +
      escaped(title) + "</title>\n<style>" + kStyle +
      "</style>\n</head>\n<body>\n<h1>" + escaped(title) +
      "</h1>\n<p class=\"verdict " + (verdict.reproduced ? "yes" : "no") +
      "\">" + escaped(verdictLine(verdict)) + "</p>\n<ul>\n";
  for (const std::string &note : notes)
    html += "<li>" + escaped(note) + "</li>\n";
  return html + "</ul>\n";
}
