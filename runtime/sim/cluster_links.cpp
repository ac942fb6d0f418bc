// The links of a cluster file: of members, and those that several share.
#include "sim/cluster_tables.h"
#include "sim/nanoseconds.h"

namespace rubato::sim {

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
  if (table.has("name") && uplink.name.empty())
    table.fail(table.at("name"), "name must be a text that is not empty");
  table.ranks("members", uplink.members);
  table.number("bandwidth", uplink.bandwidth, 1e-3, 1e18,
               "a number of bytes per second above 0");
  table.number("latency", latency, 0, 1e8, "a number of seconds, 0 or more");
  RB_TRY(table.finish());
  uplink.latency = nanoseconds(latency);
  for (const Uplink &other : cluster.uplinks)
    if (other.name == uplink.name)
      return Status::user(uplink.where + ": there is an uplink \"" +
                          uplink.name + "\" already (" + other.where +
                          "); give it another name");
  cluster.uplinks.push_back(std::move(uplink));
  return Status::ok();
}

} // namespace rubato::sim
