// The cost table: defaults, and how a file changes them.
#include "tools/rubato-interp/CostTable.h"

#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace rubato::interp {

/// Everything that takes time besides functions, which are keys by their name.
static constexpr std::pair<StringLiteral, int64_t> kDefaults[] = {
    {"gradient", 1'000'000}, {"step", 0},           {"atomic", 0},
    {"all_reduce", 500'000}, {"exchange", 200'000}, {"message", 50'000},
    {"ask", 20'000}};

CostTable::CostTable() {
  for (auto [key, value] : kDefaults)
    table[key] = {value};
}

int64_t CostTable::of(StringRef key, int rank) const {
  auto it = table.find(key);
  if (it == table.end())
    return 0;
  const std::vector<int64_t> &values = it->second;
  return values[std::min<size_t>(rank, values.size() - 1)];
}

static bool parseDuration(StringRef text, int64_t &result) {
  text = text.trim();
  int64_t scale = 1;
  for (auto [unit, factor] : {std::pair<StringRef, int64_t>{"ns", 1},
                              {"us", 1'000},
                              {"ms", 1'000'000},
                              {"s", 1'000'000'000}})
    if (text.consume_back(unit)) {
      scale = factor;
      break;
    }
  // A year in nanoseconds fits; sums of many of them still do.
  return !text.rtrim().getAsInteger(10, result) && result >= 0 &&
         result <= int64_t(3) * 10'000'000'000'000'000 / scale &&
         ((result *= scale), true);
}

Status CostTable::set(StringRef key, StringRef value) {
  if (key == "jitter") {
    if (value.getAsDouble(jitterShare) || !(jitterShare >= 0) ||
        jitterShare >= 1)
      return Status::user("jitter must be a share from 0 up to 1, not '" +
                          value.str() + "'");
    return Status::ok();
  }
  bool known = key.consume_front("call.") && !key.empty();
  for (auto [name, _] : kDefaults)
    known |= key == name;
  if (!known)
    return Status::user(
        "unknown key '" + key.str() +
        "'; it has gradient, step, call.FUNCTION, atomic, all_reduce, "
        "exchange, message, ask and jitter");
  SmallVector<StringRef> parts;
  if (value.consume_front("[")) {
    if (!value.consume_back("]"))
      return Status::user("the list of '" + key.str() + "' has no ]");
    value.split(parts, ',');
  } else {
    parts.push_back(value);
  }
  std::vector<int64_t> values;
  for (StringRef part : parts) {
    int64_t duration = 0;
    if (!parseDuration(part, duration))
      return Status::user("'" + part.trim().str() +
                          "' is no duration; write an integer with ns, us, ms "
                          "or s");
    values.push_back(duration);
  }
  table[key] = std::move(values);
  return Status::ok();
}

Status CostTable::read(StringRef text, StringRef where) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (size_t i = 0; i != lines.size(); ++i) {
    StringRef line = lines[i].split('#').first.trim();
    if (line.empty())
      continue;
    auto [key, value] = line.split('=');
    std::string place = where.str() + ":" + std::to_string(i + 1);
    if (value.trim().empty())
      return Status::user(place + ": expected 'key = value'");
    if (Status status = set(key.trim(), value.trim()); !status)
      return std::move(status).annotate(place);
  }
  return Status::ok();
}

} // namespace rubato::interp
