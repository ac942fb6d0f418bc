// Writes lines of JSON without a detour: a log has millions of them.
#include "sim/event_log.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace rubato::sim {

void EventLog::comma() {
  if (!first)
    line += ',';
  first = false;
}

void EventLog::quoted(std::string_view value) {
  line += '"';
  for (char c : value) {
    if (c == '"' || c == '\\') {
      line += '\\';
      line += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", c);
      line += escaped;
    } else {
      line += c;
    }
  }
  line += '"';
}

void EventLog::integer(int64_t value) {
  char digits[24];
  auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  line.append(digits, end);
}

void EventLog::key(std::string_view name) {
  comma();
  quoted(name);
  line += ':';
}

void EventLog::open(int64_t time, int rank, int strand, int64_t round,
                    std::string_view operation) {
  line = "{";
  first = true;
  number("t", time);
  number("rank", rank);
  number("strand", strand);
  number("round", round);
  text("op", operation);
}

void EventLog::close() {
  line += "}\n";
  sink(line);
}

void EventLog::text(std::string_view name, std::string_view value) {
  key(name);
  quoted(value);
}

void EventLog::number(std::string_view name, int64_t value) {
  key(name);
  integer(value);
}

void EventLog::truth(std::string_view name, bool value) {
  key(name);
  line += value ? "true" : "false";
}

void EventLog::openList(std::string_view name) {
  key(name);
  line += '[';
  first = true;
}

void EventLog::closeList() {
  line += ']';
  first = false;
}

void EventLog::item(int64_t value) {
  comma();
  integer(value);
}

void EventLog::item(double value) {
  comma();
  if (!std::isfinite(value)) {
    line += "null";
    return;
  }
  // 17 digits: what is read back is the same number.
  char digits[32];
  std::snprintf(digits, sizeof(digits), "%.17g", value);
  line += digits;
}

void EventLog::item(std::string_view value) {
  comma();
  quoted(value);
}

void EventLog::numbers(std::string_view name, std::span<const int64_t> values) {
  openList(name);
  for (int64_t value : values)
    item(value);
  closeList();
}

void EventLog::scalars(std::string_view name, Parts parts) {
  openList(name);
  for (const Part &part : parts) {
    if (part.count != 1)
      continue;
    if (part.dtype == RB_I64)
      item(*static_cast<const int64_t *>(part.data));
    else if (part.dtype == RB_F64)
      item(*static_cast<const double *>(part.data));
    else
      item(static_cast<double>(*static_cast<const float *>(part.data)));
  }
  closeList();
}

} // namespace rubato::sim
