#include "cli/link.h"

#include "cli/option_values.h"

using namespace rubato;

namespace {

struct Scale {
  const char *name;
  double factor;
};

constexpr Scale rates[] = {{"bit", 0.125},  {"kbit", 125}, {"Mbit", 125e3},
                           {"Gbit", 125e6}, {"B", 1},      {"kB", 1e3},
                           {"MB", 1e6},     {"GB", 1e9}};
constexpr Scale times[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

/// A number above 0 with one of the units.
template <size_t Count>
bool withUnit(std::string text, const Scale (&units)[Count], double &value) {
  size_t at = text.find_first_not_of("0123456789.eE+-");
  if (at == text.npos || at == 0)
    return false;
  for (const Scale &unit : units)
    if (text.substr(at) == unit.name) {
      double number = 0;
      if (!positive(text.substr(0, at), number))
        return false;
      value = number * unit.factor;
      return true;
    }
  return false;
}

} // namespace

Status rubato::parseLink(const std::string &text, RateLimit &link) {
  size_t comma = text.find(',');
  std::string rate = text.substr(0, comma);
  if (size_t slash = rate.rfind("/s");
      slash != rate.npos && slash + 2 == rate.size())
    rate.resize(slash);
  link = {};
  if (rate != "unlimited" && !withUnit(rate, rates, link.bytesPerSecond))
    return usage("'" + rate +
                 "' is no bandwidth; give a number with bit, kbit, Mbit, Gbit, "
                 "B, kB, MB or GB, such as 1Gbit, or 'unlimited'");
  if (comma == text.npos)
    return Status::ok();
  double nanoseconds = 0;
  std::string latency = text.substr(comma + 1);
  constexpr double minute = 60e9;
  if (!withUnit(latency, times, nanoseconds) || nanoseconds > minute)
    return usage("'" + latency +
                 "' is no latency; give a number with ns, us, ms or s, such as "
                 "2ms, of at most a minute");
  link.latency = std::chrono::nanoseconds(static_cast<int64_t>(nanoseconds));
  return Status::ok();
}

std::string rubato::describeLink(const RateLimit &link) {
  char text[96];
  double latency = static_cast<double>(link.latency.count()) * 1e-6;
  if (link.bytesPerSecond > 0)
    std::snprintf(text, sizeof text, "%.4g bytes/s, latency %.4g ms",
                  link.bytesPerSecond, latency);
  else
    std::snprintf(text, sizeof text, "latency %.4g ms", latency);
  return text;
}
