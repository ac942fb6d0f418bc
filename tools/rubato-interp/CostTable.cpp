// The cost table: defaults, and how a file changes them.
#include "tools/rubato-interp/CostTable.h"

#include "llvm/ADT/STLExtras.h"
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

static Status badDuration(StringRef text) {
  return Status::user("'" + text.trim().str() +
                      "' is no duration; write an integer with ns, us, ms "
                      "or s");
}

static Status partsOf(StringRef key, StringRef value,
                      SmallVectorImpl<StringRef> &parts) {
  if (!value.consume_front("["))
    parts.push_back(value);
  else if (!value.consume_back("]"))
    return Status::user("the list of '" + key.str() + "' has no ]");
  else
    value.split(parts, ',');
  return Status::ok();
}

/// Behind `uplink.`: NAME = duration, or NAME.members = ranks.
Status CostTable::setUplink(StringRef key, StringRef value, StringRef place) {
  StringRef name = key;
  bool members = name.consume_back(".members");
  if (name.empty() || name.contains('.'))
    return Status::user("'uplink." + key.str() +
                        "' must be uplink.NAME or uplink.NAME.members, with a "
                        "name without dots");
  auto found = find_if(shared, [&](Uplink &each) { return each.name == name; });
  if (found == shared.end()) {
    shared.push_back({name.str(), {}, {}, -1});
    found = shared.end() - 1;
  }
  found->where = place.str();
  if (members ? !found->members.empty() : found->duration >= 0)
    return Status::user("'uplink." + key.str() +
                        "' is there already; give this uplink another name");
  if (!members)
    return parseDuration(value, found->duration) ? Status::ok()
                                                 : badDuration(value);
  SmallVector<StringRef> parts;
  RB_TRY(partsOf(key, value, parts));
  for (StringRef part : parts) {
    int rank = 0;
    if (part.trim().getAsInteger(10, rank) || rank < 0)
      return Status::user("'" + part.trim().str() +
                          "' is no rank; write a list as in [0, 1]");
    found->members.push_back(rank);
  }
  return Status::ok();
}

/// Every uplink has both lines, and no rank is behind two.
Status CostTable::checkUplinks() const {
  StringMap<int> behind;
  for (const Uplink &uplink : shared) {
    std::string what = uplink.where + ": uplink \"" + uplink.name + "\"";
    if (uplink.duration < 0 || uplink.members.empty())
      return Status::user(what + " needs another line: uplink." + uplink.name +
                          (uplink.duration < 0
                               ? " = 1ms, how long a message occupies it"
                               : ".members = [0, 1], the ranks behind it"));
    for (int rank : uplink.members)
      if (!behind.try_emplace(std::to_string(rank), rank).second)
        return Status::user(what + " names member " + std::to_string(rank) +
                            " again; a member has one uplink, and stands in it "
                            "once");
  }
  return Status::ok();
}

Status CostTable::check(int ranks) const {
  for (const Uplink &uplink : shared)
    for (int rank : uplink.members)
      if (rank >= ranks)
        return Status::user(uplink.where + ": uplink \"" + uplink.name +
                            "\" has member " + std::to_string(rank) +
                            ", but the run has " + std::to_string(ranks) +
                            " members; name ranks from 0 to " +
                            std::to_string(ranks - 1));
  return Status::ok();
}

int CostTable::uplinkOf(int rank) const {
  for (size_t i = 0; i != shared.size(); ++i)
    if (is_contained(shared[i].members, rank))
      return int(i);
  return -1;
}

Status CostTable::set(StringRef key, StringRef value, StringRef place) {
  if (StringRef rest = key; rest.consume_front("uplink."))
    return setUplink(rest, value, place);
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
        "exchange, message, ask, uplink.NAME, uplink.NAME.members and jitter");
  SmallVector<StringRef> parts;
  RB_TRY(partsOf(key, value, parts));
  std::vector<int64_t> values;
  for (StringRef part : parts) {
    int64_t duration = 0;
    if (!parseDuration(part, duration))
      return badDuration(part);
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
    if (Status status = set(key.trim(), value.trim(), place); !status)
      return std::move(status).annotate(place);
  }
  return checkUplinks();
}

} // namespace rubato::interp
