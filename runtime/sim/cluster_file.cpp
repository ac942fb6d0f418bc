// Reads cluster.toml. Every key is known, every number has a range, and what is
// wrong is said with its line.
#include "sim/cluster.h"

#include "support/read_file.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
// Numbers without streams, and nothing of printing TOML: streams would bring
// every locale of the C++ library into each executable.
#define TOML_FLOAT_CHARCONV 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace rubato::sim {

namespace {

/// One table: takes keys one by one; the first mistake is kept, and `finish`
/// tells it or a key that nobody took.
class Table {
public:
  Table(const toml::table &table, std::string what, const std::string &path)
      : table(table), what(std::move(what)), path(path) {}

  bool has(std::string_view key) const { return table.contains(key); }

  /// A number in [low, high]; keeps `value` where the key is missing.
  void number(std::string_view key, double &value, double low, double high,
              const char *allowed) {
    const toml::node *node = take(key);
    if (!node)
      return;
    std::optional<double> found = node->value<double>();
    if (!node->is_number() || !found || !(*found >= low) || !(*found <= high))
      return fail(*node, std::string(key) + " must be " + allowed);
    value = *found;
  }
  void number(std::string_view key, std::optional<double> &value) {
    double found = -1;
    number(key, found, 0, 1e8, "a number of seconds, 0 or more");
    if (found >= 0)
      value = found;
  }
  void word(std::string_view key, std::string &value) {
    const toml::node *node = take(key);
    if (!node)
      return;
    if (!node->is_string())
      return fail(*node, std::string(key) + " must be a text in quotes");
    value = node->value_or(std::string());
  }
  void flag(std::string_view key, bool &value) {
    const toml::node *node = take(key);
    if (node && !node->is_boolean())
      return fail(*node, std::string(key) + " must be true or false");
    if (node)
      value = node->value_or(false);
  }
  void count(std::string_view key, int64_t &value) {
    const toml::node *node = take(key);
    if (!node)
      return;
    value = node->is_integer() ? node->value_or(int64_t{0}) : 0;
    if (value < 1 || value > 4096)
      return fail(*node,
                  std::string(key) + " must be a whole number from 1 to 4096");
  }
  void ranks(std::string_view key, std::vector<int64_t> &values) {
    const toml::node *node = take(key);
    if (!node)
      return;
    const toml::array *list = node->as_array();
    bool good = list && !list->empty();
    for (size_t i = 0; good && i != list->size(); ++i) {
      values.push_back((*list)[i].value_or(int64_t{-1}));
      good = (*list)[i].is_integer() && values.back() >= 0;
    }
    if (!good)
      fail(*node, std::string(key) + " must be a list of ranks, as in [0, 1]");
  }
  /// Takes a key without a look at it.
  const toml::node *take(std::string_view key) {
    taken.emplace_back(key);
    return table.get(key);
  }

  void require(std::string_view key, const char *why) {
    if (!has(key))
      fail(table, what + " needs " + std::string(key) + ": " + why);
  }
  void fail(const toml::node &where, const std::string &message) {
    if (status)
      status =
          Status::user(path + ":" + std::to_string(where.source().begin.line) +
                       ": " + message);
  }
  /// Where `key` stands, for messages.
  const toml::node &at(std::string_view key) const {
    const toml::node *node = table.get(key);
    return node ? *node : table;
  }

  Status finish() {
    for (auto &&[key, node] : table) {
      if (std::find(taken.begin(), taken.end(), key.str()) != taken.end())
        continue;
      std::string known;
      for (const std::string &each : taken)
        known += (known.empty() ? "" : ", ") + each;
      fail(node, "unknown key '" + std::string(key.str()) + "' in " + what +
                     "; it has " + known);
    }
    return status;
  }

private:
  const toml::table &table;
  std::string what;
  const std::string &path;
  std::vector<std::string> taken;
  Status status;
};

constexpr double kLarge = 1e12;

/// Factors beside the cluster file, one per line.
Status readTrace(const std::string &path, std::vector<double> &factors) {
  std::string text;
  if (!readFile(path, text))
    return Status::user("cannot open the trace " + path +
                        "; its path is relative to the cluster file");
  size_t begin = 0;
  for (int number = 1; begin < text.size(); ++number) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    line.erase(std::min(line.find('#'), line.size()));
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (line.empty())
      continue;
    char *rest = nullptr;
    double factor = std::strtod(line.c_str(), &rest);
    if (*rest || !std::isfinite(factor) || factor < 0)
      return Status::user(path + ":" + std::to_string(number) +
                          ": expected a factor, 0 or more, and nothing else");
    factors.push_back(factor);
  }
  if (factors.empty())
    return Status::user("the trace " + path + " has no factors");
  return Status::ok();
}

Status readLaw(Table &table, const std::string &path, DurationLaw &law) {
  using Kind = DurationLaw::Kind;
  std::string name = "constant", per = "micro-batch", file;
  table.word("law", name);
  table.word("per", per);
  law.perJob = per == "job";
  if (!law.perJob && per != "micro-batch")
    table.fail(table.at("per"), "per must be \"micro-batch\" or \"job\"");
  if (name == "jitter") {
    law.kind = Kind::Jitter;
    table.require("share", "by how much a duration varies, up and down");
    table.number("share", law.share, 0, 1, "a share from 0 to 1");
  } else if (name == "exponential") {
    law.kind = Kind::Exponential;
    table.number("mean", law.mean, 0, kLarge, "a factor, 0 or more");
  } else if (name == "shifted-exponential") {
    law.kind = Kind::Exponential;
    table.require("shift", "the factor that is always there");
    table.number("shift", law.shift, 0, kLarge, "a factor, 0 or more");
    law.mean = std::max(0.0, 1 - law.shift);
    table.number("mean", law.mean, 0, kLarge, "a factor, 0 or more");
  } else if (name == "pareto") {
    law.kind = Kind::Pareto;
    table.require("shape", "above 1; the smaller, the heavier the tail");
    table.number("shape", law.shape, 1.0001, kLarge,
                 "above 1, or there is no mean");
  } else if (name == "phases") {
    law.kind = Kind::Phases;
    const char *seconds = "a number of seconds above 0";
    table.require("slow", "how many times slower the slow times are");
    table.require("normal-seconds", "the mean length of a normal time");
    table.require("slow-seconds", "the mean length of a slow time");
    table.number("slow", law.slow, 1, kLarge, "a factor, 1 or more");
    table.number("normal-seconds", law.normalSeconds, 1e-9, kLarge, seconds);
    table.number("slow-seconds", law.slowSeconds, 1e-9, kLarge, seconds);
  } else if (name == "trace") {
    law.kind = Kind::Trace;
    table.require("file", "factors, one per line");
    table.word("file", file);
    size_t slash = path.rfind('/');
    if (!file.empty() && file[0] != '/' && slash != std::string::npos)
      file = path.substr(0, slash + 1) + file;
    if (!file.empty())
      if (Status status = readTrace(file, law.factors); !status)
        table.fail(table.at("file"), status.message());
  } else if (name != "constant") {
    table.fail(table.at("law"),
               "unknown law \"" + name +
                   "\"; there are constant, jitter, exponential, "
                   "shifted-exponential, pareto, phases and trace");
  }
  return Status::ok();
}

Status readWorker(const toml::table &node, const std::string &path,
                  Cluster &cluster) {
  Table table(node, "[[worker]]", path);
  ClusterWorker worker;
  int64_t count = 1;
  double speed = 0;
  table.count("count", count);
  table.number("speed", speed, 1e-9, kLarge,
               "a number of samples per second above 0");
  table.number("overhead", worker.overhead, 0, kLarge,
               "a number of seconds, 0 or more");
  if (!table.has("speed") && !table.has("overhead"))
    table.fail(node, "[[worker]] needs speed (samples per second), overhead "
                     "(seconds per micro-batch) or both");
  if (speed > 0)
    worker.secondsPerSample = 1 / speed;
  RB_TRY(readLaw(table, path, worker.law));
  RB_TRY(table.finish());
  for (int64_t i = 0; i != count; ++i)
    cluster.workers.push_back(worker);
  return Status::ok();
}

Status readLink(const toml::table &node, const std::string &path,
                ClusterLink &link) {
  Table table(node, "[link]", path);
  table.number("latency", link.latency, 0, 1e8,
               "a number of seconds, 0 or more");
  table.number("bandwidth", link.bandwidth, 1e-3, 1e18,
               "a number of bytes per second above 0");
  table.number("all-reduce", link.allReduce);
  table.number("exchange", link.exchange);
  table.number("message", link.message);
  table.number("ask", link.ask);
  return table.finish();
}

Status readUplink(const toml::table &node, const std::string &path,
                  Cluster &cluster) {
  Table table(node, "[[uplink]]", path);
  Uplink uplink;
  uplink.where = path + ":" + std::to_string(node.source().begin.line);
  double latency = 0;
  table.require("name", "a text by which messages call it");
  table.require("members", "the ranks behind it, as in [0, 1]");
  table.require("bandwidth", "its bytes per second, which they share");
  table.word("name", uplink.name);
  table.ranks("members", uplink.members);
  table.number("bandwidth", uplink.bandwidth, 1e-3, 1e18,
               "a number of bytes per second above 0");
  table.number("latency", latency, 0, 1e8, "a number of seconds, 0 or more");
  RB_TRY(table.finish());
  uplink.latency = std::llround(latency * 1e9);
  for (const Uplink &other : cluster.uplinks)
    if (other.name == uplink.name)
      return Status::user(uplink.where + ": there is an uplink \"" +
                          uplink.name + "\" already (" + other.where +
                          "); give it another name");
  cluster.uplinks.push_back(std::move(uplink));
  return Status::ok();
}

} // namespace

Status parseCluster(std::string_view text, const std::string &path,
                    Cluster &cluster) {
  toml::parse_result parsed = toml::parse(text, path);
  if (!parsed)
    return Status::user(path + ":" +
                        std::to_string(parsed.error().source().begin.line) +
                        ": " + std::string(parsed.error().description()));
  const toml::table &root = parsed.table();
  Table table(root, "a cluster", path);
  Cluster result;
  table.flag("repeat", result.repeat);
  std::string restarts = "step";
  table.word("restarts", restarts);
  result.restartsAtOnce = restarts == "at-once";
  if (restarts != "step" && restarts != "at-once")
    table.fail(table.at("restarts"),
               "restarts must be \"step\" (a void job ends with its local "
               "step) or \"at-once\"");
  const toml::node *workers = table.take("worker");
  const toml::node *link = table.take("link");
  const toml::node *uplinks = table.take("uplink");
  if (!workers || !workers->is_array_of_tables())
    return Status::user(
        path + ":" +
        std::to_string(workers ? workers->source().begin.line : 1) +
        ": a cluster needs at least one [[worker]]");
  if (link && !link->is_table())
    table.fail(*link, "link must be a table: [link]");
  if (uplinks && !uplinks->is_array_of_tables())
    table.fail(*uplinks, "uplink must be a list of tables: [[uplink]]");
  RB_TRY(table.finish());
  for (const toml::node &each : *workers->as_array())
    RB_TRY(readWorker(*each.as_table(), path, result));
  if (link)
    RB_TRY(readLink(*link->as_table(), path, result.link));
  if (uplinks)
    for (const toml::node &each : *uplinks->as_array())
      RB_TRY(readUplink(*each.as_table(), path, result));
  RB_TRY(checkUplinks(result.uplinks));
  cluster = std::move(result);
  return Status::ok();
}

Status readCluster(const std::string &path, Cluster &cluster) {
  std::string text;
  if (!readFile(path, text))
    return Status::user("cannot open the cluster file " + path);
  return parseCluster(text, path, cluster);
}

} // namespace rubato::sim
