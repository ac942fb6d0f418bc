// The edges of a graph as text.
#include "policy/gossip_graph.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string>

namespace rubato::policy {

static bool takeNumber(std::string_view &text, auto &number) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc())
    return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return text.empty() || text.front() == ' ';
}

Status parseEdges(std::string_view text, std::vector<Edge> &edges) {
  edges.clear();
  std::set<std::pair<int64_t, int64_t>> seen;
  int64_t members = 0;
  while (!text.empty()) {
    std::string_view entry = text.substr(0, text.find(','));
    text.remove_prefix(std::min(entry.size() + 1, text.size()));
    auto wrong = [&](const char *reason) {
      return Status::user("gossip.matcher: the edge '" + std::string(entry) +
                          "' " + reason);
    };
    Edge edge;
    std::string_view rest = entry;
    bool read = takeNumber(rest, edge.a) && takeNumber(rest, edge.b) &&
                (rest.empty() || takeNumber(rest, edge.weight)) && rest.empty();
    if (!read || std::min(edge.a, edge.b) < 0 ||
        std::max(edge.a, edge.b) >= maxGossipMembers)
      return wrong(
          "must be two members, numbered from 0, and perhaps a weight");
    if (edge.a == edge.b)
      return wrong("joins a member to itself");
    if (!(std::isfinite(edge.weight) && edge.weight > 0))
      return wrong("needs a weight above 0");
    if (!seen.insert(std::minmax(edge.a, edge.b)).second)
      return wrong("is there twice");
    members = std::max({members, edge.a + 1, edge.b + 1});
    edges.push_back(edge);
  }
  Neighbours graph(static_cast<size_t>(members));
  for (const Edge &edge : edges) {
    graph[static_cast<size_t>(edge.a)].push_back({edge.b});
    graph[static_cast<size_t>(edge.b)].push_back({edge.a});
  }
  bool alone = std::any_of(graph.begin(), graph.end(),
                           [](const auto &list) { return list.empty(); });
  if (edges.empty() || alone || !isConnected(graph))
    return Status::user("gossip.matcher: the edges must connect all members "
                        "from 0 to the largest number");
  return Status::ok();
}

} // namespace rubato::policy
