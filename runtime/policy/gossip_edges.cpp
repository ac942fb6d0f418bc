// The edges of a graph as text.
#include "policy/gossip_graph.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace rubato::policy {

/// Largest over smallest weight; beyond, the constants are rounding.
static constexpr double maxRatio = 1e6;

static std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

static std::vector<std::string_view> wordsOf(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\v\f";
  std::vector<std::string_view> words;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    if (text.empty())
      return words;
    words.push_back(text.substr(0, text.find_first_of(blanks)));
    text.remove_prefix(words.back().size());
  }
}

static bool readNumber(std::string_view text, auto &number) {
  const char *last = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc() && end == last;
}

Status EdgeReader::add(std::string_view text, const std::string &place) {
  std::vector<std::string_view> words = wordsOf(text);
  if (words.size() != 2 && words.size() != 3)
    return Status::user("an edge is two members and perhaps a weight (`0 1` or "
                        "`0 1 0.5`), not " +
                        quoted(text));
  Edge edge;
  for (auto [word, end] : {std::pair(words[0], &edge.a), {words[1], &edge.b}})
    if (!readNumber(word, *end) || *end < 0 || *end >= maxGossipMembers)
      return Status::user(quoted(word) +
                          " is no member; they are numbered from 0, up to " +
                          std::to_string(maxGossipMembers - 1));
  if (words.size() == 3 && (!readNumber(words[2], edge.weight) ||
                            !std::isfinite(edge.weight) || edge.weight <= 0))
    return Status::user(quoted(words[2]) +
                        " is no weight; give a number above 0, or leave the "
                        "edge out");
  if (edge.a == edge.b)
    return Status::user("member " + std::to_string(edge.a) +
                        " cannot be its own neighbour");
  auto [before, fresh] = places.insert({std::minmax(edge.a, edge.b), place});
  if (!fresh)
    return Status::user("the edge between " + std::to_string(edge.a) + " and " +
                        std::to_string(edge.b) + " is there already, in " +
                        before->second);
  least = edges.empty() ? edge.weight : std::min(least, edge.weight);
  most = std::max(most, edge.weight);
  if (most / least > maxRatio)
    return Status::user("weights may differ by a factor of a million, and "
                        "these differ by more; bring them closer together");
  edges.push_back(edge);
  return Status::ok();
}

Status EdgeReader::finish(std::vector<Edge> &all) {
  if (edges.empty())
    return Status::user("there is no edge; give one as `a b`");
  int64_t members = 0;
  for (Edge &edge : edges) {
    members = std::max({members, edge.a + 1, edge.b + 1});
    // Only ratios count, and sums of large weights could be infinite.
    edge.weight /= most;
  }
  std::vector<size_t> above(static_cast<size_t>(members));
  std::iota(above.begin(), above.end(), 0);
  auto top = [&](int64_t member) {
    auto i = static_cast<size_t>(member);
    while (above[i] != i)
      i = above[i] = above[above[i]];
    return i;
  };
  int64_t parts = members;
  for (const Edge &edge : edges) {
    size_t a = top(edge.a), b = top(edge.b);
    parts -= a != b;
    above[a] = b;
  }
  for (int64_t i = 1; i < members; ++i)
    if (top(i) != top(0))
      return Status::user(
          "the graph is in " + std::to_string(parts) +
          " parts: no way leads from member 0 to member " + std::to_string(i) +
          ", and members are all from 0 to " + std::to_string(members - 1) +
          "; add an edge between the parts");
  all = std::move(edges);
  return Status::ok();
}

Status parseEdges(std::string_view text, std::vector<Edge> &edges) {
  EdgeReader reader;
  for (int64_t number = 1; !text.empty(); ++number) {
    std::string_view entry = text.substr(0, text.find(','));
    text.remove_prefix(std::min(entry.size() + 1, text.size()));
    std::string place = "edge " + std::to_string(number);
    RB_TRY(reader.add(entry, place).annotate("gossip.matcher: " + place));
  }
  return reader.finish(edges).annotate("gossip.matcher");
}

} // namespace rubato::policy
