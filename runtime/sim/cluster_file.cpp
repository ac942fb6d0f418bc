// Reads cluster.toml.
#include "sim/cluster_tables.h"

#include "support/read_file.h"

#include <cmath>
#include <cstdlib>

namespace rubato::sim {

namespace {

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
