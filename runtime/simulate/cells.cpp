#include "simulate/cells.h"

#include "support/dtype.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace rubato {

static std::string numberAt(const Cell &cell, const char *data) {
  char text[40];
  if (cell.dtype == RB_I64) {
    int64_t value = 0;
    std::memcpy(&value, data, sizeof value);
    return std::to_string(value);
  }
  double value = 0;
  if (cell.dtype == RB_F64) {
    std::memcpy(&value, data, sizeof value);
  } else {
    float single = 0;
    std::memcpy(&single, data, sizeof single);
    value = static_cast<double>(single);
  }
  if (!std::isfinite(value))
    return "null";
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

static std::string cellsOf(const Unit &unit, Member &member) {
  std::string text = ",\"cells\":{";
  for (const Cell &cell : unit.cells) {
    const char *data =
        static_cast<const char *>(member.hostAddress(cell.place));
    int64_t size = elementBytes(cell.dtype);
    std::string name = cell.name; // as the program spells it
    std::ranges::replace(name, '-', '_');
    text += (&cell == unit.cells.data() ? "\"" : ",\"") + name + "\":";
    if (cell.bytes == size) {
      text += numberAt(cell, data);
      continue;
    }
    text += "[";
    for (int64_t at = 0; at < cell.bytes; at += size)
      text += (at ? "," : "") + numberAt(cell, data + at);
    text += "]";
  }
  return text + "}";
}

std::string lineWithCells(std::string_view line, const Unit &unit,
                          const std::vector<std::unique_ptr<Member>> &crew) {
  std::string whole(line);
  constexpr std::string_view key = "\"rank\":";
  size_t at = line.find(key);
  if (at == line.npos || (line.find("\"op\":\"next\"") == line.npos &&
                          line.find("\"op\":\"drained\"") == line.npos))
    return whole;
  size_t rank = 0;
  const char *digits = line.data() + at + key.size();
  if (std::from_chars(digits, line.data() + line.size(), rank).ec !=
          std::errc() ||
      rank >= crew.size())
    return whole;
  return whole.insert(whole.rfind('}'), cellsOf(unit, *crew[rank]));
}

} // namespace rubato
