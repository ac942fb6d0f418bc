// One table of a cluster file. Every key is known, every number has a range,
// and what is wrong is said with its line.
#pragma once

#include "sim/cluster.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
// Numbers without streams, and nothing of printing TOML: streams would bring
// every locale of the C++ library into each executable.
#define TOML_FLOAT_CHARCONV 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace rubato::sim {

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

/// [link] and [[uplink]].
Status readLink(const toml::table &node, const std::string &path,
                ClusterLink &link);
Status readUplink(const toml::table &node, const std::string &path,
                  Cluster &cluster);

} // namespace rubato::sim
