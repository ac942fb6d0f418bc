// Durations of the cost table, with jitter drawn by counter.
#include "sim/cost_table.h"

#include "policy/random.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace rubato::sim {

static constexpr std::pair<const char *, int64_t> kDefaults[] = {
    {"gradient", 1'000'000}, {"step", 0},           {"atomic", 0},
    {"all_reduce", 500'000}, {"exchange", 200'000}, {"message", 50'000},
    {"ask", 20'000}};

CostTable::CostTable(uint64_t seed) : seed(seed) {
  for (auto [key, value] : kDefaults)
    table[key] = {value};
}

static std::string_view trim(std::string_view text) {
  const char *blank = " \t\r\n\v\f";
  size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

static bool takeSuffix(std::string_view &text, std::string_view suffix) {
  if (!text.ends_with(suffix))
    return false;
  text.remove_suffix(suffix.size());
  return true;
}

static bool parseDuration(std::string_view text, int64_t &result) {
  text = trim(text);
  int64_t scale = 1;
  for (auto [unit, factor] : {std::pair<std::string_view, int64_t>{"ns", 1},
                              {"us", 1'000},
                              {"ms", 1'000'000},
                              {"s", 1'000'000'000}})
    if (takeSuffix(text, unit)) {
      scale = factor;
      break;
    }
  text = trim(text);
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), result);
  // A year in nanoseconds fits; sums of many of them still do.
  if (error != std::errc() || end != text.data() + text.size() || result < 0 ||
      result > int64_t{30'000'000'000'000'000} / scale)
    return false;
  result *= scale;
  return true;
}

/// The parts of a list, or the value itself.
static Status partsOf(std::string_view key, std::string_view value,
                      std::vector<std::string_view> &parts) {
  if (!value.starts_with('[')) {
    parts.push_back(value);
    return Status::ok();
  }
  value.remove_prefix(1);
  if (!takeSuffix(value, "]"))
    return Status::user("the list of '" + std::string(key) + "' has no ]");
  while (true) {
    size_t comma = value.find(',');
    parts.push_back(trim(value.substr(0, comma)));
    if (comma == std::string_view::npos)
      return Status::ok();
    value.remove_prefix(comma + 1);
  }
}

static Status badDuration(std::string_view part) {
  return Status::user("'" + std::string(part) +
                      "' is no duration; write an integer with ns, us, ms "
                      "or s");
}

/// Behind `uplink.`: a name, and `.members` where it says who is behind it.
Status CostTable::setUplink(std::string_view key, std::string_view value,
                            const std::string &place) {
  std::string_view name = key;
  bool members = takeSuffix(name, ".members");
  if (name.empty() || name.find('.') != std::string_view::npos)
    return Status::user("'uplink." + std::string(key) +
                        "' must be uplink.NAME or uplink.NAME.members, with a "
                        "name without dots");
  auto found = std::ranges::find(shared, name, &Uplink::name);
  if (found == shared.end()) {
    shared.emplace_back().name = name;
    found = shared.end() - 1;
    found->fixed = -1; // until a line says it
  }
  found->where = place;
  if (members ? !found->members.empty() : found->fixed >= 0)
    return Status::user("'uplink." + std::string(key) +
                        "' is there already; give this uplink another name");
  if (!members)
    return parseDuration(value, found->fixed) ? Status::ok()
                                              : badDuration(value);
  std::vector<std::string_view> parts;
  RB_TRY(partsOf(key, value, parts));
  for (std::string_view part : parts) {
    int64_t rank = -1;
    auto [end, error] =
        std::from_chars(part.data(), part.data() + part.size(), rank);
    if (error != std::errc() || end != part.data() + part.size() || rank < 0)
      return Status::user("'" + std::string(part) +
                          "' is no rank; write a list as in [0, 1]");
    found->members.push_back(rank);
  }
  return Status::ok();
}

Status CostTable::set(std::string_view key, std::string_view value,
                      const std::string &place) {
  if (key.starts_with("uplink."))
    return setUplink(key.substr(7), value, place);
  if (key == "jitter") {
    double share = -1;
    auto [end, error] =
        std::from_chars(value.data(), value.data() + value.size(), share);
    if (error != std::errc() || end != value.data() + value.size() ||
        !(share >= 0) || share >= 1)
      return Status::user("jitter must be a share from 0 up to 1, not '" +
                          std::string(value) + "'");
    jitter = share;
    return Status::ok();
  }
  std::string name(key);
  bool known = name.starts_with("call.") && name.size() > 5;
  if (known)
    name.erase(0, 5);
  for (auto [each, _] : kDefaults)
    known |= name == each;
  if (!known)
    return Status::user(
        "unknown key '" + std::string(key) +
        "'; it has gradient, step, call.FUNCTION, atomic, all_reduce, "
        "exchange, message, ask, uplink.NAME, uplink.NAME.members and jitter");
  std::vector<std::string_view> parts;
  RB_TRY(partsOf(key, value, parts));
  std::vector<int64_t> values;
  for (std::string_view part : parts) {
    int64_t duration = 0;
    if (!parseDuration(part, duration))
      return badDuration(part);
    values.push_back(duration);
  }
  table[name] = std::move(values);
  return Status::ok();
}

Status CostTable::read(std::string_view text, const std::string &where) {
  for (int number = 1; !text.empty(); ++number) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    line = trim(line.substr(0, line.find('#')));
    if (line.empty())
      continue;
    size_t equals = line.find('=');
    std::string place = where + ":" + std::to_string(number);
    if (equals == std::string_view::npos ||
        trim(line.substr(equals + 1)).empty())
      return Status::user(place + ": expected 'key = value'");
    if (Status status = set(trim(line.substr(0, equals)),
                            trim(line.substr(equals + 1)), place);
        !status)
      return std::move(status).annotate(place);
  }
  for (const Uplink &uplink : shared)
    if (uplink.fixed < 0 || uplink.members.empty())
      return Status::user(uplink.where + ": uplink \"" + uplink.name +
                          "\" needs another line: uplink." + uplink.name +
                          (uplink.fixed < 0
                               ? " = 1ms, how long a message occupies it"
                               : ".members = [0, 1], the ranks behind it"));
  return checkUplinks(shared);
}

int64_t CostTable::of(std::string_view key, int rank) const {
  auto it = table.find(key);
  if (it == table.end())
    return 0; // a function that nobody named
  const std::vector<int64_t> &values = it->second;
  return values[std::min(static_cast<size_t>(rank), values.size() - 1)];
}

int64_t CostTable::drawn(std::string_view key, int rank, int64_t number) const {
  int64_t base = of(key, rank);
  if (jitter == 0)
    return base;
  policy::CounterRandom random(seed, key, {rank, number});
  double share = jitter * (2 * random.uniform() - 1);
  return base + static_cast<int64_t>(share * static_cast<double>(base));
}

int64_t CostTable::work(const Work &work, uint64_t &draws) {
  if (of(work.name, work.rank) == 0)
    return 0;
  // Strands of a member draw apart from one another.
  int64_t number = static_cast<int64_t>(draws++) * 16 + work.strand;
  return drawn(work.name, work.rank, number);
}

int64_t CostTable::collective(const Reduction &reduction) {
  return drawn("all_reduce", 0, reduction.number * 64 + reduction.channel);
}

Passage CostTable::exchange(int rank, int64_t tag, int64_t) {
  return {.transfer = drawn("exchange", rank, tag)};
}

Passage CostTable::message(int rank, int64_t ticket, int64_t) {
  return {.transfer = drawn("message", rank, ticket)};
}

int64_t CostTable::ask(int rank, int64_t call) {
  return drawn("ask", rank, call);
}

} // namespace rubato::sim
